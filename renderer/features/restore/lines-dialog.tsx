// Everything that a restore of this task has left and that can be had back: lines of the conversation, and each restore.
import { useMemo } from 'react';
import { type EarlierLine, earlierLines, isUsed, type RedoPoint, redoPoints } from '../../../shared/lines';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { fullTimeOf, timeOf } from '../../components/time';
import { returnToLine, takeBack } from '../../store/redo';
import { backWords, countOf } from '../../store/restore-words';
import { useTask } from '../../store/task';
import { closeLines, useUi } from '../../store/ui';
import styles from './lines-dialog.module.css';

export function LinesDialog() {
  const open = useUi((s) => s.lines);
  return open ? <Lists /> : null;
}

function Lists() {
  const view = useTask((s) => s.view);
  const lines = useMemo(() => earlierLines(view), [view]);
  const redos = useMemo(() => redoPoints(view), [view]);
  return (
    <Dialog
      open
      title="Redo points and earlier lines"
      description="A restore loses nothing: what it left is listed here, newest first."
      onClose={closeLines}
    >
      <div className={styles.body}>
        <section aria-labelledby="lines-earlier">
          <h3 id="lines-earlier">Earlier lines</h3>
          {lines.length === 0 ? (
            <p className={styles.none}>The conversation is on its only line.</p>
          ) : (
            <ul>
              {lines.map((l) => (
                <Line key={l.redo.checkpointId} line={l} />
              ))}
            </ul>
          )}
        </section>
        <section aria-labelledby="lines-redo">
          <h3 id="lines-redo">Redo points</h3>
          {redos.length === 0 ? (
            <p className={styles.none}>Nothing was restored in this task yet.</p>
          ) : (
            <ul>
              {redos.map((r) => (
                <Redo key={r.checkpointId} redo={r} used={isUsed(view, r)} />
              ))}
            </ul>
          )}
        </section>
      </div>
      <footer className={styles.foot}>
        <Button onClick={closeLines}>Close</Button>
      </footer>
    </Dialog>
  );
}

function Line({ line }: { readonly line: EarlierLine }) {
  const { redo, prompt, messages } = line;
  const first = prompt.text.trim().split('\n')[0] ?? '';
  return (
    <li className={styles.entry}>
      <div className={styles.words}>
        <p className={styles.prompt} title={prompt.text}>
          {first}
        </p>
        <p className={styles.about} title={fullTimeOf(redo.at)}>
          left at {timeOf(redo.at)} · {countOf(messages, 'message')}
        </p>
      </div>
      <Button
        size="sm"
        aria-label={`Return to “${first}”`}
        onClick={() => {
          closeLines();
          returnToLine(redo, first);
        }}
      >
        Return…
      </Button>
    </li>
  );
}

function Redo({ redo, used }: { readonly redo: RedoPoint; readonly used: boolean }) {
  const back = backWords(redo.undoes);
  return (
    <li className={styles.entry}>
      <div className={styles.words}>
        <p>{back}</p>
        <p className={styles.about} title={fullTimeOf(redo.at)}>
          restored at {timeOf(redo.undoes.at)}
          {used ? ' · taken back' : ''}
        </p>
      </div>
      <Button
        size="sm"
        aria-label={`Take back the restore of ${timeOf(redo.undoes.at)}: ${back}`}
        onClick={() => {
          closeLines();
          takeBack(redo);
        }}
      >
        {used ? 'Again…' : 'Undo…'}
      </Button>
    </li>
  );
}
