// The end of every name that Tidemark gives to a file for a moment, in a workspace or in a store. No snapshot takes such
// a file, and what a crash left of them can be told by it.

export const TEMPORARY_SUFFIX = '.tidemark-tmp';
