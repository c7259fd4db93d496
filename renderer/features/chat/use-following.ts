// Staying at the end of a list that grows. Whoever is at the end stays there, whatever makes it grow (text, a measured
// entry, less room for the list); whoever has scrolled up keeps the place until they come back or are called.
// Invariant: `own` is where the list itself put the scroller last, so any other place was chosen by the reader, unless
// the end came nearer than the place was.
import { elementScroll, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

type List = Virtualizer<HTMLDivElement, Element>;
type ScrollTo = typeof elementScroll<HTMLDivElement>;

/** So near to the end counts as the end. */
export const NEAR_END = 40;
const UNEVEN = 2;

const distanceOf = (el: HTMLElement): number => el.scrollHeight - el.scrollTop - el.clientHeight;

export function useFollowing(scroller: RefObject<HTMLDivElement | null>) {
  const own = useRef(0);
  const following = useRef(true);
  const [away, setAway] = useState(false);

  const scrollToFn = useCallback<ScrollTo>(
    (offset, options, list) => {
      elementScroll(offset, options, list);
      own.current = scroller.current?.scrollTop ?? 0;
    },
    [scroller],
  );
  /** Finds out whether the reader has left the end or come back to it. */
  const look = useCallback(() => {
    const el = scroller.current;
    if (el === null) return;
    const distance = distanceOf(el);
    const moved = el.scrollTop - own.current;
    own.current = el.scrollTop;
    if (distance <= UNEVEN || (moved > UNEVEN && distance <= NEAR_END)) following.current = true;
    else if (moved < -UNEVEN) following.current = false;
    setAway(!following.current && distance > NEAR_END);
  }, [scroller]);
  /** A small movement that ends near the end was none. */
  const settle = useCallback(() => {
    const el = scroller.current;
    if (el !== null && distanceOf(el) <= NEAR_END) following.current = true;
  }, [scroller]);
  return useMemo(
    () => ({ scroller, following, away, scrollToFn, look, settle, setAway }),
    [scroller, away, scrollToFn, look, settle],
  );
}

type Following = ReturnType<typeof useFollowing>;

/** The end; or, while a card further up asks, as near to it as that card can be seen, its buttons above all. */
function scrollToLatest(list: List, asking: number): void {
  const el = list.scrollElement;
  const start = asking < 0 ? undefined : list.getOffsetForIndex(asking, 'start')?.[0];
  const end = asking < 0 ? undefined : list.getOffsetForIndex(asking, 'end')?.[0];
  const most = el === null ? 0 : el.scrollHeight - el.clientHeight;
  if (start === undefined || end === undefined || Math.max(start, end) >= most - UNEVEN) list.scrollToEnd();
  else list.scrollToIndex(asking, { align: end > start ? 'end' : 'start' });
}

/**
 * @param calls what the reader must see: a new one brings them to the end, wherever they are
 * @param asking the entry that waits for an answer, which counts as the end; -1: none
 */
export function useStayAtEnd(
  f: Following,
  list: List,
  height: number,
  calls: readonly string[],
  asking: number,
): () => void {
  const { scroller, following, look, setAway } = f;
  const toEnd = useCallback(() => {
    following.current = true;
    setAway(false);
    scrollToLatest(list, asking);
  }, [list, following, setAway, asking]);
  const follow = useCallback(() => {
    look();
    if (following.current) scrollToLatest(list, asking);
    else list.cancelScroll();
  }, [list, look, following, asking]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height is what makes another end
  useLayoutEffect(follow, [follow, height]);
  const known = useRef<readonly string[] | null>(null);
  useLayoutEffect(() => {
    const before = known.current;
    known.current = calls;
    if (before === null || calls.some((c) => !before.includes(c))) toEnd();
  }, [calls, toEnd]);
  // A pane beside it opens, the composer or a note grows: the list has less room, and its end moves.
  useEffect(() => {
    const el = scroller.current;
    if (el === null) return;
    const observer = new ResizeObserver(follow);
    observer.observe(el);
    return () => observer.disconnect();
  }, [scroller, follow]);
  return toEnd;
}
