// What a program prints for a terminal, as text: colours and cursor movements mean nothing to a model. Pure.
import { stripVTControlCharacters } from 'node:util';

/** A line that was written over, as progress bars are, counts as it was left. */
export function plainText(output: string): string {
  const text = output.includes('\u001b') ? stripVTControlCharacters(output) : output;
  return text.includes('\r') ? text.replace(/\r\n/g, '\n').replace(/^.*\r(?=[^\n])/gm, '') : text;
}
