// The widths of the three panes: what they may be in a window of this width, and what was chosen last. Pure but for
// remembering.
import { useEffect, useState } from 'react';
import { recall, remember } from './store/remembered';

export type PaneWidths = { readonly left: number; readonly right: number };

export const LEFT = { min: 160, max: 420, first: 236 } as const;
export const RIGHT = { min: 320 } as const;
const CHAT_MIN = 380;

const firstRight = (total: number): number => Math.round((total - LEFT.first) * 0.52);
export const mostRight = (total: number, left: number): number =>
  Math.max(RIGHT.min, total - left - CHAT_MIN - 2);

/** Widths that fit the window: the chat keeps its least width, the panes beside it give way. */
export function fitPanes(wanted: PaneWidths, total: number, rightOpen: boolean): PaneWidths {
  const left = clamp(wanted.left, LEFT.min, LEFT.max);
  const right = clamp(wanted.right, RIGHT.min, mostRight(total, left));
  const spare = total - left - right - CHAT_MIN - 2;
  return !rightOpen || spare >= 0 ? { left, right } : { left: Math.max(LEFT.min, left + spare), right };
}

const clamp = (n: number, min: number, max: number): number => Math.min(Math.max(n, min), Math.max(min, max));
const widthOr = (v: unknown, key: string, otherwise: number): number => {
  const found =
    typeof v === 'object' && v !== null ? (v as Readonly<Record<string, unknown>>)[key] : undefined;
  return typeof found === 'number' && Number.isFinite(found) ? found : otherwise;
};

export function usePanes(rightOpen: boolean) {
  const [total, setTotal] = useState(window.innerWidth);
  const [wanted, setWanted] = useState<PaneWidths>(() =>
    recall('panes', (v) => ({
      left: widthOr(v, 'left', LEFT.first),
      right: widthOr(v, 'right', firstRight(window.innerWidth)),
    })),
  );
  useEffect(() => {
    const resized = () => setTotal(window.innerWidth);
    window.addEventListener('resize', resized);
    return () => window.removeEventListener('resize', resized);
  }, []);
  const set = (part: Partial<PaneWidths>) => {
    const next = { ...wanted, ...part };
    setWanted(next);
    remember('panes', next);
  };
  return { widths: fitPanes(wanted, total, rightOpen), total, set, firstRight: firstRight(total) };
}
