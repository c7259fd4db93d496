// The three sides of one conflict beside each other: yours now, as the task last left it, the checkpoint's.
import { useEffect, useState } from 'react';
import type { FileSide } from '../../../shared/domain';
import type { Output } from '../../../shared/ipc';
import { type PathText, pathKey } from '../../../shared/rel-path';
import { call, type ErrorInfo } from '../../bridge';
import { ErrorText } from '../../components/notice';
import { bytesOf } from '../../components/time';
import { ThreeView } from '../../monaco/three-view';
import { askedOf, type RestoreFlow } from '../../store/restore';
import styles from './conflict-sides.module.css';

type Sides = Output<'restore.sides'>;

export function ConflictSides({ flow, path }: { readonly flow: RestoreFlow; readonly path: PathText }) {
  const { sides, error } = useSides(flow, path);
  if (error !== null)
    return (
      <div className={styles.note}>
        <ErrorText error={error} />
      </div>
    );
  const heads = ['Yours, now', 'As the task left it', `Checkpoint ${flow.request.label}`] as const;
  const all = [sides?.mine ?? null, sides?.base ?? null, sides?.checkpoint ?? null] as const;
  const notes = all.map(noteOf);
  const [mine, base, checkpoint] = all.map((s) => s?.text ?? '');
  return (
    <div className={styles.three}>
      {heads.map((head, i) => (
        <h3 key={head} className={styles.head}>
          {head}
          {sides === null || notes[i] === null ? null : <span className={styles.about}>{notes[i]}</span>}
        </h3>
      ))}
      {sides === null ? (
        <div className={styles.waiting} />
      ) : (
        <ThreeView
          path={path.path}
          labels={heads.map((h) => `${path.path}, ${h}`)}
          texts={[mine ?? '', base ?? '', checkpoint ?? '']}
        />
      )}
    </div>
  );
}

/** What cannot be shown as lines is said in words. */
function noteOf(side: FileSide | null): string | null {
  if (side === null) return 'not there';
  if (side.note === 'link') return 'a link';
  if (side.note === 'folder') return 'a folder';
  return side.note === null ? null : `${side.note}, ${bytesOf(side.bytes)}`;
}

function useSides(
  flow: RestoreFlow,
  path: PathText,
): { readonly sides: Sides | null; readonly error: ErrorInfo | null } {
  const [state, setState] = useState<{ sides: Sides | null; error: ErrorInfo | null }>({
    sides: null,
    error: null,
  });
  const { request } = flow;
  const key = pathKey(path);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once for each conflict; answers change no side
  useEffect(() => {
    let gone = false;
    const { path: name, pathBase64 } = path;
    const asked = { path: name, ...(pathBase64 === undefined ? {} : { pathBase64 }) };
    void call('restore.sides', { ...askedOf(flow), path: asked }).then((result) => {
      if (!gone)
        setState(result.ok ? { sides: result.value, error: null } : { sides: null, error: result.error });
    });
    return () => {
      gone = true;
    };
  }, [request, key]);
  return state;
}
