// What the command line prints: one JSON object, or tables for people; errors as one line.
import { ERRORS, type ErrorInfo, toErrorInfo } from '../../shared/errors';

export type Streams = {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
  /** true when a person reads stdout */
  readonly tty: boolean;
  readonly json: boolean;
};

/** One object on stdout, with the contract's version. */
export const printJson = (s: Streams, value: object): void => {
  s.out.write(`${JSON.stringify({ v: 1, ...value })}\n`);
};

/** Prints a failure in the form that was asked for. @returns the exit code (SPEC 12) */
export function printError(s: Streams, thrown: unknown): number {
  const info = toErrorInfo(thrown);
  if (s.json) printJson(s, { error: info });
  else s.err.write(`tidemark: ${oneLine(info)}\n`);
  return ERRORS[info.code].exit;
}

export function oneLine(info: ErrorInfo): string {
  const paths =
    info.paths === undefined || info.paths.length === 0 ? '' : ` (${info.paths.map(printable).join(', ')})`;
  return printable(`${info.message}${paths}${info.hint === undefined ? '' : ` ${info.hint}`}`);
}

/** Columns as wide as their widest cell; the last one is not padded. Names cannot reach the terminal's controls. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows.map((r) => r.map(printable))];
  const widths = head.map((_, i) => Math.max(...cells.map((r) => (r[i] ?? '').length)));
  return cells
    .map((r) =>
      r
        .map((cell, i) => (i === r.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Control characters shown as symbols: a file name must not move the cursor. */
export const printable = (text: string): string =>
  [...text]
    .map((c) => {
      const code = c.codePointAt(0) ?? 0;
      if (code < 0x20) return String.fromCodePoint(0x2400 + code);
      return code === 0x7f ? '\u2421' : c;
    })
    .join('');

/** Local time for people; JSON has the exact one. */
export const shortTime = (iso: string): string => {
  const d = new Date(iso);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}`;
};
