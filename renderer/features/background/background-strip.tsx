// Commands of the task that go on in the background, above the composer: what they print, and a way to stop them.
import { ChevronRight, Square } from 'lucide-react';
import { useId, useState } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { type BackgroundCommand, livingBackground } from '../../../shared/fold';
import { Button } from '../../components/button';
import { cx } from '../../components/class-names';
import { TerminalText } from '../../components/terminal-text';
import { timeOf } from '../../components/time';
import { readBackground, stopBackground, useTask } from '../../store/task';
import styles from './background-strip.module.css';

const SHOWN_LINES = 200;

export function BackgroundStrip() {
  const commands = useTask(useShallow((s) => livingBackground(s.view)));
  if (commands.length === 0) return null;
  return (
    <section aria-label="Background commands" className={styles.strip}>
      {commands.map((c) => (
        <Row key={c.backgroundId} command={c} />
      ))}
    </section>
  );
}

const lastLines = (output: string): string => output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');

function Row({ command }: { readonly command: BackgroundCommand }) {
  const [open, setOpen] = useState(false);
  const [stopping, setStopping] = useState(false);
  const outputId = useId();
  const { backgroundId } = command;
  const where = command.folder === '' ? '' : ` in ${command.folder}`;
  const stop = () => {
    setStopping(true);
    void stopBackground(backgroundId).finally(() => setStopping(false));
  };
  const toggle = () => {
    // What it printed before this window looked is not in the view.
    if (!open && command.output === '') void readBackground(backgroundId);
    setOpen(!open);
  };
  return (
    <div className={styles.row}>
      <div className={styles.head}>
        <button
          type="button"
          className={styles.command}
          aria-expanded={open}
          aria-controls={outputId}
          title={command.command}
          onClick={toggle}
        >
          <span className={styles.pulse} aria-hidden />
          <code>{command.command}</code>
          <span className={styles.since}>
            {where} since {timeOf(command.at)}
          </span>
          <ChevronRight size={13} aria-hidden className={cx(styles.chevron, open && styles.turned)} />
        </button>
        <Button
          size="sm"
          look="quiet"
          disabled={stopping}
          onClick={stop}
          aria-label={`Stop ${command.command}`}
        >
          <Square size={9} fill="currentColor" aria-hidden /> Stop
        </Button>
      </div>
      {open ? (
        <pre
          id={outputId}
          role="log"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, with the keyboard too
          tabIndex={0}
          className={styles.output}
          aria-label={`Output of ${command.command}`}
        >
          {/* one child, so that the newest line stays in sight */}
          <span>
            {command.output.trim() === '' ? (
              'It has printed nothing yet.'
            ) : (
              <TerminalText text={lastLines(command.output)} />
            )}
          </span>
        </pre>
      ) : null}
    </div>
  );
}
