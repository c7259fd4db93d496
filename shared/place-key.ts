// Which folders a task or a window works in, as one text to compare. Pure.

export type WorkPlace = {
  /** real path of the folder; of the first one where there are several */
  readonly workspace: string;
  /** real paths of all folders; absent or empty where there is only one */
  readonly roots?: readonly string[] | undefined;
};

/** The same text for the same folders, in whatever order they were given. */
export const placeKey = ({ workspace, roots = [] }: WorkPlace): string =>
  roots.length > 1 ? [...roots].sort().join('\n') : workspace;
