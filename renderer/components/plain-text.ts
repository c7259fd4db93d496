// Output of programs as text: colours and cursor movements for terminals mean nothing here.
const TERMINAL_CODES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

export const plainText = (text: string): string =>
  text.includes('\u001b') ? text.replace(TERMINAL_CODES, '') : text;

/** The same with its colours, which end in "m"; of a line that was written over, what was left of it. */
export function colouredText(text: string): string {
  const kept = text.includes('\u001b')
    ? text.replace(TERMINAL_CODES, (code) => (/^\[[\d;:]*m$/.test(code.slice(1)) ? code : ''))
    : text;
  return kept.includes('\r') ? kept.replace(/\r+\n/g, '\n').replace(/^.*\r(?=[^\n])/gm, '') : kept;
}
