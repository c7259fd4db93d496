// One mark on the tide line: what it is, when, what changed up to it, and the two things to do with it.
// The buttons keep their place whether they show or not, so that nothing moves; they take the pointer only a moment
// after they appeared, so that a click meant for something else never lands on them.
import type { ReactNode } from 'react';
import { RELEASED_WORDS } from '../../../shared/fold';
import type { CheckpointId } from '../../../shared/ids';
import { Button } from '../../components/button';
import { cx } from '../../components/class-names';
import { Counts } from '../../components/counts';
import { fullTimeOf, timeOf } from '../../components/time';
import { showComparison } from '../../store/changes';
import { backWords, countOf } from '../../store/restore-words';
import { CompareMenu } from './compare-menu';
import type { MarkerItem } from './items';
import { LeftOutNote } from './left-out';
import styles from './marker.module.css';
import { isRestoredTo, markerCounts, markerWords, nameOf } from './marker-words';

export type RestoreSlot = (marker: {
  readonly row: MarkerItem['row'];
  readonly label: string;
  readonly restored: boolean;
}) => ReactNode;

type MarkerProps = {
  readonly item: MarkerItem;
  readonly restoredTo: CheckpointId | null;
  readonly restore: RestoreSlot;
};

export function Marker({ item, restoredTo, restore }: MarkerProps) {
  const { row } = item;
  const words = markerWords(item, restoredTo);
  const time = timeOf(row.at);
  const counts = markerCounts(item);
  const restored = isRestoredTo(item, restoredTo);
  const back = row.undoes === null ? null : backWords(row.undoes);
  return (
    <div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields; this groups a mark with its actions */}
      <div
        role="group"
        aria-label={[words, time, ...(back === null ? [] : [back])].join(' · ')}
        className={cx(
          styles.marker,
          row.failed !== null && styles.failed,
          row.kind === 'redo' && styles.redo,
          restored && styles.restored,
        )}
        data-checkpoint={row.checkpointId}
        data-kind={row.kind}
      >
        <span className={styles.words} title={fullTimeOf(row.at)}>
          <span className={styles.name}>{words}</span> · {time}
          {back === null ? null : ` · ${back}`}
        </span>
        {counts === null || row.released !== null ? null : (
          <button
            type="button"
            className={styles.counts}
            title="Show what this turn changed"
            onClick={() => showComparison({ kind: 'turn', at: countedId(item) })}
          >
            · {countOf(counts.files, 'file')} <Counts added={counts.added} removed={counts.removed} />
          </button>
        )}
        <LeftOutNote row={row} />
        <span className={styles.rule} />
        {row.failed !== null ? null : (
          <span className={styles.actions}>
            {row.snapshotId === null ? null : (
              <>
                <Button size="sm" onClick={() => showComparison({ kind: 'since', from: row.checkpointId })}>
                  Compare
                </Button>
                <CompareMenu row={row} turn={counts === null ? null : countedId(item)} />
              </>
            )}
            {restore({ row, label: nameOf(item) ?? time, restored })}
          </span>
        )}
      </div>
      {row.released === null ? null : <p className={styles.reason}>{RELEASED_WORDS[row.released]}</p>}
      {row.failed === null ? null : (
        <p className={styles.reason}>
          {row.failed.message} {row.failed.hint ?? ''}
        </p>
      )}
    </div>
  );
}

/** Merged markers show the counts of the one that has them. */
const countedId = (item: MarkerItem): CheckpointId =>
  [...item.also, item.row].findLast((r) => r.files > 0)?.checkpointId ?? item.row.checkpointId;
