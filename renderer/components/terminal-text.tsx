import Anser from 'anser';
import { cx } from './class-names';
import { colouredText } from './plain-text';
import styles from './terminal-text.module.css';

/** The terminal's colours that have a sense here; the rest is text like any other. */
const COLOURS: Readonly<Record<string, string | undefined>> = {
  red: styles.red,
  green: styles.green,
  yellow: styles.yellow,
  blue: styles.blue,
  cyan: styles.blue,
  magenta: styles.magenta,
  black: styles.dim,
};

const classOf = (piece: { readonly fg: string | null; readonly decorations: readonly string[] }) =>
  cx(
    COLOURS[(piece.fg ?? '').replace(/^(ansi-)?(bright-)?/, '')],
    piece.decorations.includes('bold') && styles.bold,
    piece.decorations.includes('dim') && styles.dim,
    piece.decorations.includes('underline') && styles.underline,
  );

/** What a program has printed, with its colours as this window has them. */
export function TerminalText({ text }: { readonly text: string }) {
  const shown = colouredText(text);
  if (!shown.includes('\u001b')) return shown;
  return Anser.ansiToJson(shown, { json: true, use_classes: true, remove_empty: true }).map((piece, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
    <span key={i} className={classOf(piece)}>
      {piece.content}
    </span>
  ));
}
