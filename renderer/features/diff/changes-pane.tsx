// The right pane's comparison: what it is between, how much, and every file one below the other.
// Only files near the screen are read and have an editor.
import { useVirtualizer } from '@tanstack/react-virtual';
import { Space, X } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Change } from '../../../shared/domain';
import { Button, IconButton } from '../../components/button';
import { cx } from '../../components/class-names';
import { Counts } from '../../components/counts';
import { ErrorText, Notice } from '../../components/notice';
import pane from '../../components/pane.module.css';
import { Segmented } from '../../components/segmented';
import { rangeOf, timeOf } from '../../components/time';
import { refreshChanges, useChanges } from '../../store/changes';
import { toggleIgnoreSpace, useDiffOptions } from '../../store/diff-options';
import { countOf } from '../../store/restore-words';
import { saveSettings, useSettings } from '../../store/settings';
import { closeRight } from '../../store/ui';
import { changeKey } from './change-words';
import styles from './changes-pane.module.css';
import { FileDiff } from './file-diff';

const LAYOUTS = [
  { value: 'split', label: 'Split' },
  { value: 'unified', label: 'Unified' },
] as const;

export function ChangesPane() {
  const list = useChanges((s) => s.list);
  const error = useChanges((s) => s.error);
  return (
    <section className={pane.pane} aria-label={list?.title ?? 'Changes'}>
      <Head />
      {error === null ? null : (
        <Notice flat tone="error" actions={<Button onClick={() => void refreshChanges()}>Retry</Button>}>
          <ErrorText error={error} />
        </Notice>
      )}
      {list === null ? (
        <p className={styles.empty}>{error === null ? 'Comparing…' : ''}</p>
      ) : list.changes.length === 0 ? (
        <p className={styles.empty}>No differences.</p>
      ) : (
        <Files key={JSON.stringify(list.comparison)} />
      )}
    </section>
  );
}

function Head() {
  const list = useChanges((s) => s.list);
  const ignoreSpace = useDiffOptions((s) => s.ignoreSpace);
  const layout = useSettings((s) => s.settings?.appearance.diff ?? 'split');
  const sum = (side: 'added' | 'removed') => (list?.changes ?? []).reduce((n, c) => n + (c[side] ?? 0), 0);
  return (
    <header className={pane.head}>
      <div className={styles.titles}>
        <h2 className={styles.title}>{list?.title ?? 'Changes'}</h2>
        {list === null ? null : (
          <span className={styles.range}>
            {list.toAt === null ? `${timeOf(list.fromAt)} → now` : rangeOf(list.fromAt, list.toAt)} ·{' '}
            {countOf(list.changes.length, 'file')}
          </span>
        )}
      </div>
      {list === null ? null : <Counts added={sum('added')} removed={sum('removed')} />}
      <Segmented
        label="Diff layout"
        value={layout}
        options={LAYOUTS}
        onChange={(diff) => void saveSettings({ appearance: { diff } })}
      />
      <IconButton
        label="Ignore white space"
        aria-pressed={ignoreSpace}
        className={cx(ignoreSpace && styles.pressed)}
        onClick={toggleIgnoreSpace}
      >
        <Space size={14} />
      </IconButton>
      <IconButton label="Close changes" onClick={closeRight}>
        <X size={14} />
      </IconButton>
    </header>
  );
}

const HEAD_HEIGHT = 33;
const NONE: readonly Change[] = [];

function Files() {
  const changes = useChanges((s) => s.list?.changes ?? NONE);
  const scroller = useRef<HTMLElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const heights = useRef(new Map<string, number>());
  const virtualizer = useVirtualizer({
    count: changes.length,
    getScrollElement: () => scroller.current,
    getItemKey: (i) => keyAt(i),
    estimateSize: (i) => HEAD_HEIGHT + (folded.has(keyAt(i)) ? 0 : (heights.current.get(keyAt(i)) ?? 180)),
    overscan: 2,
  });
  function keyAt(i: number): string {
    const change = changes[i];
    return change === undefined ? String(i) : changeKey(change);
  }
  const fold = (key: string) =>
    setFolded((old) => {
      const next = new Set(old);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, with the keyboard too
    <section ref={scroller} className={styles.scroller} tabIndex={0} aria-label="Changed files">
      <div className={styles.all} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((v) => {
          const change = changes[v.index];
          if (change === undefined) return null;
          const key = changeKey(change);
          return (
            <div
              key={v.key}
              ref={virtualizer.measureElement}
              data-index={v.index}
              className={styles.item}
              style={{ top: v.start }}
            >
              <FileDiff
                change={change}
                folded={folded.has(key)}
                onFold={() => fold(key)}
                height={heights.current.get(key) ?? null}
                onHeight={(h) => heights.current.set(key, h)}
              />
            </div>
          );
        })}
      </div>
    </section>
  );
}
