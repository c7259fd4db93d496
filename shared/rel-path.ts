// Paths inside a workspace as the engine knows them, and how they are shown.
// A RelPath is the name's bytes, one character (U+0000..U+00FF) a byte, parts joined by "/": so any name that the
// file system allows goes through unharmed. It is decoded here, at the edges, and nowhere else.

export type RelPath = string & { readonly __relPath: true };

/** A path as it stands in JSON (SPEC 12): `pathBase64` holds the bytes when they are not UTF-8. */
export type PathText = { readonly path: string; readonly pathBase64?: string };

declare const TextDecoder: new (
  label: string,
  o?: { fatal?: boolean; ignoreBOM?: boolean },
) => { decode(b: Uint8Array): string };
declare const TextEncoder: new () => { encode(s: string): Uint8Array };
declare const btoa: (binary: string) => string;
declare const atob: (base64: string) => string;

/** The RelPath of a path given as text with "/" between its parts. */
export function relPathFromText(text: string): RelPath {
  let out = '';
  for (const b of new TextEncoder().encode(text)) out += String.fromCharCode(b);
  return out as RelPath;
}

/** The path for people and JSON. Bytes that are not UTF-8 read as U+FFFD. */
export function relPathToText(path: RelPath): PathText {
  const bytes = Uint8Array.from(path, (c) => c.charCodeAt(0));
  try {
    return { path: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { path: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), pathBase64: btoa(path) };
  }
}

/** The inverse of relPathToText, whatever the bytes were. */
export function relPathOf(text: PathText): RelPath {
  return text.pathBase64 === undefined ? relPathFromText(text.path) : (atob(text.pathBase64) as RelPath);
}

/** Tells one path from another, also where two names that are not UTF-8 look alike. */
export const pathKey = (p: PathText): string => `${p.pathBase64 ?? ''}\0${p.path}`;
