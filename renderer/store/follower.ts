// Looking again after changes, as often as it is cheap: a small folder is followed at once, a large one about once a second.
// Owns: when to look. Does not own: what is looked at.
// Invariant: looks never overlap; after the last change there is always one more look.

/** Looking may take about this part of the time. */
const SHARE = 5;
const LEAST_MS = 40;
/** While changes come without a pause, it is looked this often all the same. */
const MOST_MS = 1000;

/** When to look, in ms from now. `cost`: how long the last look took; `since`: how long the first change has waited. */
export function waitBeforeLook(cost: number, since: number): number {
  const pause = Math.min(MOST_MS / 4, Math.max(LEAST_MS, cost));
  const most = Math.min(MOST_MS, Math.max(LEAST_MS, cost * SHARE));
  return Math.max(0, Math.min(pause, most - since));
}

export function openFollower(look: () => Promise<void>, now: () => number = () => performance.now()) {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let first: number | null = null;
  let cost = 0;
  let looking = false;

  function schedule(): void {
    if (first === null || looking) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => void play(), waitBeforeLook(cost, now() - first));
  }
  async function play(): Promise<void> {
    timer = null;
    first = null;
    looking = true;
    const began = now();
    try {
      await look();
    } finally {
      looking = false;
      cost = now() - began;
      schedule();
    }
  }
  return {
    changed(): void {
      first ??= now();
      schedule();
    },
    stop(): void {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      first = null;
    },
  };
}
