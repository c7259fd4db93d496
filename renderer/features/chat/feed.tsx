// The conversation along the tide line. Only what is near the screen is in the page; the end stays in sight while it
// grows, and a place that was scrolled to stays where it is.
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useMemo, useRef } from 'react';
import type { Limit } from '../../../shared/domain';
import type { TaskView, Waiting } from '../../../shared/fold';
import type { ErrorInfo } from '../../bridge';
import { Button } from '../../components/button';
import { cx } from '../../components/class-names';
import { useRestored } from '../../store/restored';
import { useTask } from '../../store/task';
import styles from './feed.module.css';
import { againOf, callsOf, type FeedItem, feedItems, waitingOf } from './items';
import { Marker, type RestoreSlot } from './marker';
import { Answer, Compacted, HandEdits } from './messages';
import { RunEnd } from './run-end';
import { Again, CompletionCard, LimitCard, UnprotectedCard, WaitingLine } from './tail';
import { ToolCard } from './tool-card';
import { NEAR_END, useFollowing, useStayAtEnd } from './use-following';
import { UserMessage } from './user-message';

type TailItem =
  | { readonly kind: 'unprotected'; readonly key: 'unprotected'; readonly error: ErrorInfo }
  | { readonly kind: 'limit'; readonly key: 'limit'; readonly limit: Limit }
  | { readonly kind: 'waiting'; readonly key: 'waiting'; readonly waiting: Waiting }
  | { readonly kind: 'again'; readonly key: 'again'; readonly changed: boolean };
type Entry = FeedItem | TailItem;

const HEIGHTS: Readonly<Record<Entry['kind'], number>> = {
  marker: 38,
  'hand-edits': 38,
  prompt: 72,
  answer: 90,
  tool: 46,
  completion: 120,
  end: 50,
  compaction: 40,
  unprotected: 120,
  limit: 100,
  waiting: 36,
  again: 36,
};

export function Feed({ restore }: { readonly restore: RestoreSlot }) {
  const view = useTask((s) => s.view);
  const unprotected = useTask((s) => (s.taskId === null ? undefined : s.unprotected[s.taskId]));
  const items = useMemo(() => feedItems(view), [view]);
  const entries = useMemo(() => withTail(items, view, unprotected), [items, view, unprotected]);
  const restoredTo = useRestored((s) => s.checkpointId);
  const scroller = useRef<HTMLDivElement>(null);
  const following = useFollowing(scroller);
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => HEIGHTS[entries[i]?.kind ?? 'tool'],
    getItemKey: (i) => entries[i]?.key ?? i,
    overscan: 8,
    paddingStart: 18,
    scrollPaddingStart: 12,
    paddingEnd: 12,
    anchorTo: 'end',
    scrollEndThreshold: NEAR_END,
    scrollToFn: following.scrollToFn,
  });
  const height = virtualizer.getTotalSize();
  const calls = useMemo(
    () => [...callsOf(view), ...(unprotected === undefined ? [] : ['unprotected'])],
    [view, unprotected],
  );
  const asking = entries.findIndex(
    (e) => e.kind === 'tool' && e.row.state === 'asking' && e.row.runId === view.running,
  );
  const toEnd = useStayAtEnd(following, virtualizer, height, calls, asking);
  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        onScroll={following.look}
        onScrollEnd={following.settle}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the log scrolls, with the keyboard too
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-busy={view.running !== null}
      >
        <div className={styles.column}>
          <div style={{ height }} />
          {virtualizer.getVirtualItems().map((v) => {
            const entry = entries[v.index];
            if (entry === undefined) return null;
            return (
              <div
                key={v.key}
                ref={virtualizer.measureElement}
                data-index={v.index}
                className={cx(styles.entry, entry.kind !== 'marker' && styles.indented)}
                style={{ transform: `translateY(${v.start}px)` }}
              >
                <EntryView entry={entry} restoredTo={restoredTo} restore={restore} />
              </div>
            );
          })}
        </div>
      </div>
      {following.away ? (
        <Button size="sm" className={styles.latest} onClick={toEnd}>
          <ArrowDown size={13} aria-hidden /> Latest
        </Button>
      ) : null}
    </div>
  );
}

function withTail(
  items: readonly FeedItem[],
  view: TaskView,
  error: ErrorInfo | undefined,
): readonly Entry[] {
  if (error !== undefined) return [...items, { kind: 'unprotected', key: 'unprotected', error }];
  if (view.limit !== null) return [...items, { kind: 'limit', key: 'limit', limit: view.limit }];
  const waiting = waitingOf(view);
  if (waiting !== null) return [...items, { kind: 'waiting', key: 'waiting', waiting }];
  const again = againOf(view);
  return again === null ? items : [...items, { kind: 'again', key: 'again', ...again }];
}

type EntryProps = {
  readonly entry: Entry;
  readonly restoredTo: Parameters<typeof Marker>[0]['restoredTo'];
  readonly restore: RestoreSlot;
};

function EntryView({ entry, restoredTo, restore }: EntryProps) {
  switch (entry.kind) {
    case 'marker':
      return <Marker item={entry} restoredTo={restoredTo} restore={restore} />;
    case 'hand-edits':
      return <HandEdits row={entry.row} />;
    case 'prompt':
      return <UserMessage row={entry.row} />;
    case 'answer':
      return <Answer row={entry.row} />;
    case 'tool':
      return <ToolCard row={entry.row} />;
    case 'completion':
      return <CompletionCard item={entry} />;
    case 'compaction':
      return <Compacted row={entry.row} />;
    case 'end':
      return <RunEnd row={entry.row} />;
    case 'unprotected':
      return <UnprotectedCard error={entry.error} />;
    case 'again':
      return <Again changed={entry.changed} />;
    case 'limit':
      return <LimitCard limit={entry.limit} />;
    case 'waiting':
      return <WaitingLine waiting={entry.waiting} />;
  }
}
