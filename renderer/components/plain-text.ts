// Output of programs as text: colours and cursor movements for terminals mean nothing here.
const TERMINAL_CODES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

export const plainText = (text: string): string =>
  text.includes('\u001b') ? text.replace(TERMINAL_CODES, '') : text;
