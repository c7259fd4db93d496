// One tool call as a card: what it does to what, how it went, and its diff or output on request.
import { ChevronRight, LoaderCircle } from 'lucide-react';
import { memo, type ReactNode, useId, useState } from 'react';
import type { BackgroundCommand, ToolRow } from '../../../shared/fold';
import { Button } from '../../components/button';
import { cx } from '../../components/class-names';
import { Counts } from '../../components/counts';
import { patchLines } from '../../components/patch';
import { PatchLines } from '../../components/patch-lines';
import { plainText } from '../../components/plain-text';
import { TerminalText } from '../../components/terminal-text';
import { lengthOf } from '../../components/time';
import { useTask } from '../../store/task';
import { ApprovalCard } from './approval-card';
import { PlanCard } from './plan-card';
import { QuestionCard } from './question-card';
import styles from './tool-card.module.css';
import { linesOf, moreLines, oneLine, toolState, toolWords } from './tool-words';

const SHORT_PATCH = 10;
const SHORT_OUTPUT = 8;

export const ToolCard = memo(function ToolCard({ row }: { readonly row: ToolRow }) {
  const [chosen, setChosen] = useState<'closed' | 'full' | null>(null);
  const bodyId = useId();
  if (row.state === 'asking' && row.request !== null) return <ApprovalCard request={row.request} />;
  if (row.state === 'asking' && row.question !== null) return <QuestionCard question={row.question} />;
  if (row.tool === 'update_plan' && row.state === 'ok') return <PlanCard input={row.input} />;
  const { verb, object } = toolWords(row);
  const body = bodyOf(row, chosen === 'full');
  const closed = body !== null && (chosen === 'closed' || (chosen === null && !body.always));
  const head = (
    <>
      <span className={styles.verb}>{verb}</span>
      <code className={styles.object} title={object}>
        {object}
      </code>
      <Outcome row={row} />
    </>
  );
  return (
    <section className={styles.card} data-state={row.state} aria-label={`${verb} ${object}`.trim()}>
      {body === null ? (
        <div className={styles.head}>{head}</div>
      ) : (
        <button
          type="button"
          className={styles.head}
          aria-expanded={!closed}
          aria-controls={bodyId}
          onClick={() => setChosen(closed ? 'full' : 'closed')}
        >
          {head}
          <ChevronRight size={13} aria-hidden className={cx(styles.chevron, !closed && styles.turned)} />
        </button>
      )}
      {body === null || closed ? null : (
        <div id={bodyId} className={styles.body}>
          {body.node}
          {body.hidden === 0 ? null : (
            <Button look="quiet" size="sm" className={styles.more} onClick={() => setChosen('full')}>
              {moreLines(body.hidden)}
            </Button>
          )}
        </div>
      )}
    </section>
  );
});

type Body = {
  readonly node: ReactNode;
  /** part of it shows without being asked for */
  readonly always: boolean;
  /** lines that are not shown yet */
  readonly hidden: number;
};

function bodyOf(row: ToolRow, open: boolean): Body | null {
  const { display } = row;
  if (row.state === 'rejected') {
    const reason = row.rejectReason ?? '';
    return reason === ''
      ? null
      : { node: <p className={styles.note}>“{reason}”</p>, always: true, hidden: 0 };
  }
  if (row.answer !== null) {
    return { node: <p className={styles.note}>{row.answer}</p>, always: true, hidden: 0 };
  }
  if (display.kind === 'edit') {
    const lines = patchLines(display.patch).length;
    if (display.patch.trim() === '') return null;
    return {
      node: <PatchLines patch={display.patch} most={open ? lines : SHORT_PATCH} />,
      always: true,
      hidden: open ? 0 : Math.max(0, lines - SHORT_PATCH),
    };
  }
  if (display.kind === 'command' || (row.tool === 'run_command' && row.state === 'running')) {
    const output = display.kind === 'command' ? display.output : row.text;
    return outputBody(output, open, display.kind === 'command' && display.cut);
  }
  if (row.text.trim() === '') return null;
  return {
    node: (
      <pre className={cx(styles.output, row.state === 'error' && styles.failed)}>{plainText(row.text)}</pre>
    ),
    always: row.state === 'error',
    hidden: 0,
  };
}

/** The end of an output says most, so that is what shows first. */
function outputBody(output: string, open: boolean, cut: boolean): Body | null {
  const lines = linesOf(output);
  if (output.trim() === '') return null;
  const hidden = open ? 0 : Math.max(0, lines.length - SHORT_OUTPUT);
  return {
    node: (
      <pre className={styles.output}>
        {cut && open ? '… the beginning was cut off\n' : ''}
        <TerminalText text={lines.slice(hidden).join('\n')} />
      </pre>
    ),
    always: true,
    hidden,
  };
}

const HOW: Readonly<Record<NonNullable<BackgroundCommand['ended']>['how'], string>> = {
  exited: 'exit',
  stopped: 'stopped',
  lost: 'ended with the app',
};

function backgroundWords({ ended }: BackgroundCommand): string {
  if (ended === null) return 'runs in the background';
  const how = ended.how === 'exited' ? `exit ${ended.exitCode ?? '?'}` : HOW[ended.how];
  return ended.ms === 0 ? how : `${how} · ${lengthOf(ended.ms)}`;
}

function Outcome({ row }: { readonly row: ToolRow }) {
  const { display } = row;
  const state = toolState(row);
  const background = useTask((s) =>
    s.view.background.find((b) => b.runId === row.runId && b.callId === row.callId && b.seq > row.seq),
  );
  if (background !== undefined && row.state === 'ok')
    return <span className={styles.outcome}>{backgroundWords(background)}</span>;
  return (
    <span className={styles.outcome}>
      {display.kind === 'lines' ? oneLine(display.label) : null}
      {display.kind === 'edit' ? <Counts added={display.added} removed={display.removed} /> : null}
      {display.kind === 'command' ? (
        <>
          <span className={display.exitCode === 0 ? styles.good : styles.bad}>
            {display.exitCode === null ? 'ended' : `exit ${display.exitCode}`}
          </span>{' '}
          · {lengthOf(display.ms)}
        </>
      ) : null}
      {state === null ? null : <span className={styles[state.tone]}>{state.words}</span>}
      {row.state === 'running' || row.state === 'writing' ? (
        <LoaderCircle size={12} aria-hidden className={styles.spin} />
      ) : null}
    </span>
  );
}
