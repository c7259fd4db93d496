// How far a run goes before it asks whether it may go on. Pure, but for what it counts.
// A yes is good for as much again: after 100 turns the next question comes at 200.
import type { Limit, Usage } from '../../shared/domain';

export type Limits = { readonly turns: number; readonly cost: number | null };

export function openLimits(limits: Limits): {
  /** One answer came. */
  count(usage: Usage): void;
  /** What is used up now, once for each time; null: nothing. */
  reached(): Limit | null;
} {
  const spent = { turns: 0, cost: 0 };
  const most = { turns: limits.turns, cost: limits.cost ?? Number.POSITIVE_INFINITY };
  return {
    count(usage) {
      spent.turns += 1;
      spent.cost += usage.cost ?? 0;
    },
    reached() {
      for (const kind of ['cost', 'turns'] as const) {
        if (spent[kind] < most[kind]) continue;
        const reached = { kind, spent: spent[kind], most: most[kind] };
        // An expensive answer can go past several limits at once: they are one question.
        const step = limits[kind] ?? 0;
        while (most[kind] <= spent[kind]) most[kind] += step;
        return reached;
      }
      return null;
    },
  };
}
