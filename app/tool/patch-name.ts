// The names of files in a unified diff. Pure.

export const isQuoted = (text: string): boolean => text.includes('"');

/** The name behind "--- " or "+++ "; null for /dev/null. A time may follow behind a tab. */
export function nameOf(rest: string): string | null {
  const text = rest.startsWith('"') ? unquote(rest.replace(/"[^"]*$/, '"')) : rest.replace(/(\t.*)?\r?$/, '');
  return text === '/dev/null' ? null : text.trimEnd();
}

const ESCAPES: Readonly<Record<string, number>> = {
  n: 10,
  t: 9,
  r: 13,
  a: 7,
  b: 8,
  f: 12,
  v: 11,
  '"': 34,
  '\\': 92,
};

/** git writes odd names in quotes, with C's escapes; bytes beyond ASCII as three octal digits. */
export function unquote(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  const parts: Buffer[] = [];
  for (const found of text.slice(1, -1).matchAll(/\\([0-7]{3}|[\s\S])|[^\\]+/g)) {
    const [whole, code] = found;
    if (code === undefined) parts.push(Buffer.from(whole));
    else if (code.length === 3) parts.push(Buffer.from([Number.parseInt(code, 8)]));
    else parts.push(Buffer.from([ESCAPES[code] ?? code.charCodeAt(0)]));
  }
  return Buffer.concat(parts).toString('utf8');
}
