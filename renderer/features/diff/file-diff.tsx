// One changed file: its head, and below it the comparison or why there is none.
import { ChevronDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Change, FileSide } from '../../../shared/domain';
import type { Hunk } from '../../../shared/ipc';
import { call, type ErrorInfo } from '../../bridge';
import { Button } from '../../components/button';
import { cx } from '../../components/class-names';
import { Counts, StatusLetter } from '../../components/counts';
import { ErrorText } from '../../components/notice';
import { DiffView } from '../../monaco/diff-view';
import { FileView } from '../../monaco/file-view';
import { useChanges } from '../../store/changes';
import { useDiffOptions } from '../../store/diff-options';
import { isFolder, kindWords, modeNote, noTextWords, sameWords, shownPath, sideNotes } from './change-words';
import styles from './file-diff.module.css';
import { ImagePair, isImage } from './image-pair';
import { RestoreFile } from './restore-file';
import { takeHunkBack } from './take-back';

type FileDiffProps = {
  readonly change: Change;
  readonly folded: boolean;
  readonly onFold: () => void;
  readonly height: number | null;
  readonly onHeight: (height: number) => void;
};

type Sides = { readonly before: FileSide | null; readonly after: FileSide | null };

export function FileDiff({ change, folded, onFold, height, onHeight }: FileDiffProps) {
  const [letter, words] = kindWords(change.kind);
  const path = shownPath(change.path);
  return (
    <section className={styles.file} aria-label={path}>
      <header className={styles.head}>
        <button type="button" className={styles.name} aria-expanded={!folded} onClick={onFold}>
          <ChevronDown size={13} aria-hidden className={cx(styles.chevron, folded && styles.folded)} />
          <StatusLetter letter={letter} label={words} />
          <code className={styles.path} title={path}>
            {change.oldPath === undefined ? null : (
              <span className={styles.old}>{shownPath(change.oldPath)} → </span>
            )}
            {path}
          </code>
          {change.similarity === undefined ? null : <span className={styles.old}>{change.similarity} %</span>}
        </button>
        <Counts added={change.added} removed={change.removed} />
        <RestoreFile change={change} />
      </header>
      {folded ? null : <Body change={change} height={height} onHeight={onHeight} />}
    </section>
  );
}

function Body({ change, height, onHeight }: Pick<FileDiffProps, 'change' | 'height' | 'onHeight'>) {
  const [force, setForce] = useState(false);
  const { sides, error } = useSides(change, force);
  const [own, setOwn] = useState(height ?? estimate(change));
  const [hunks, setHunks] = useState<number | null>(null);
  const ignoreSpace = useDiffOptions((s) => s.ignoreSpace);
  if (error !== null)
    return (
      <div className={styles.note}>
        <ErrorText error={error} />
      </div>
    );
  const mode = modeNote(change);
  if (sides === null) return <div style={{ height: own }} />;
  if (isFolder(change))
    return <p className={styles.note}>{['Empty folder', ...(mode === null ? [] : [mode])].join(' · ')}</p>;
  const none = noTextWords(sides.before, sides.after);
  const onlySpace = ignoreSpace && hunks === 0 ? ['only white space differs'] : [];
  const notes = [...(mode === null ? [] : [mode]), ...sideNotes(sides.before, sides.after), ...onlySpace];
  const before = sides.before?.text ?? '';
  const after = sides.after?.text ?? '';
  const same = normal(before) === normal(after);
  return (
    <>
      {notes.length === 0 ? null : <p className={styles.note}>{notes.join(' · ')}</p>}
      {isImage(sides) ? <ImagePair {...sides} path={shownPath(change.path)} /> : null}
      {none === null || isImage(sides) ? null : (
        <p className={styles.note}>
          {none.words}
          {none.large ? (
            <Button size="sm" onClick={() => setForce(true)}>
              Show anyway
            </Button>
          ) : null}
        </p>
      )}
      {none === null && same && notes.length === 0 ? (
        <p className={styles.note}>{sameWords(change, after)}</p>
      ) : null}
      {none !== null || same ? null : (
        <Texts
          change={change}
          sides={sides}
          height={own}
          onCount={setHunks}
          onHeight={(h) => {
            setOwn(h);
            onHeight(h);
          }}
        />
      )}
    </>
  );
}

type TextsProps = {
  readonly change: Change;
  readonly sides: Sides;
  readonly height: number;
  readonly onHeight: (height: number) => void;
  readonly onCount: (hunks: number) => void;
};

/** A file that was added or deleted has one side; half a pane of nothing beside it would say no more. */
function Texts({ change, sides, height, onHeight, onCount }: TextsProps) {
  const { before, after } = sides;
  const list = useChanges((s) => s.list);
  const taskId = useChanges((s) => s.taskId);
  const isText = before?.note === null && after?.note === null && change.pathBase64 === undefined;
  const revert =
    taskId !== null && list?.to === 'workspace' && isText
      ? (hunk: Hunk) => takeHunkBack(taskId, list, change, hunk)
      : null;
  if (before === null || after === null)
    return (
      <FileView
        path={change.path}
        text={(after ?? before)?.text ?? ''}
        whole={{ tone: after === null ? 'deleted' : 'added', height, onHeight }}
      />
    );
  return (
    <DiffView
      path={change.path}
      before={before.text ?? ''}
      after={after.text ?? ''}
      label={shownPath(change.path)}
      height={height}
      onHeight={onHeight}
      onCount={onCount}
      onRevert={revert}
    />
  );
}

/** Endings have a note of their own; as lines they would be nothing, or everything. */
const normal = (text: string): string => text.replace(/\r\n?/g, '\n');

const estimate = (c: Change): number =>
  Math.min(600, Math.max(80, ((c.added ?? 0) + (c.removed ?? 0) + 6) * 19));

/** Both sides, read again whenever the comparison was. The old ones stay until the new ones are there. */
function useSides(
  change: Change,
  force: boolean,
): { readonly sides: Sides | null; readonly error: ErrorInfo | null } {
  const revision = useChanges((s) => s.revision);
  const comparison = useChanges((s) => s.comparison);
  const taskId = useChanges((s) => s.taskId);
  const [state, setState] = useState<{ sides: Sides | null; error: ErrorInfo | null }>({
    sides: null,
    error: null,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision means that contents may differ
  useEffect(() => {
    if (taskId === null || comparison === null) return;
    let gone = false;
    void call('changes.file', { taskId, comparison, change, force }).then((result) => {
      if (gone) return;
      setState(result.ok ? { sides: result.value, error: null } : { sides: null, error: result.error });
    });
    return () => {
      gone = true;
    };
  }, [taskId, comparison, change, force, revision]);
  return state;
}
