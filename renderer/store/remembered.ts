// Small things that this window remembers between starts (pane widths, drafts). Never needed: a full or blocked
// storage only means that they are forgotten.

export function recall<T>(key: string, parse: (value: unknown) => T): T {
  let raw: unknown = null;
  try {
    raw = JSON.parse(localStorage.getItem(`tidemark.${key}`) ?? 'null');
  } catch {
    raw = null;
  }
  return parse(raw);
}

export function remember(key: string, value: unknown): void {
  try {
    localStorage.setItem(`tidemark.${key}`, JSON.stringify(value));
  } catch {
    // forgotten at the next start, which is all that happens
  }
}
