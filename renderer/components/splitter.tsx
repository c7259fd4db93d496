import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import styles from './splitter.module.css';

type SplitterProps = {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** +1: dragging to the right widens what it controls; -1: narrows it */
  readonly direction: 1 | -1;
  readonly onChange: (value: number) => void;
  readonly onReset: () => void;
};

const STEP = 16;

/** The line between two panes: drag it, use the arrow keys, or double-click for the first width. */
export function Splitter({ label, value, min, max, direction, onChange, onReset }: SplitterProps) {
  const start = useRef<{ readonly x: number; readonly value: number } | null>(null);
  const set = (next: number) => onChange(Math.round(Math.min(max, Math.max(min, next))));
  const press = (e: PointerEvent<HTMLDivElement>) => {
    start.current = { x: e.clientX, value };
    e.currentTarget.setPointerCapture(e.pointerId);
  };
  const move = (e: PointerEvent<HTMLDivElement>) => {
    const from = start.current;
    if (from !== null) set(from.value + (e.clientX - from.x) * direction);
  };
  const end = () => {
    start.current = null;
  };
  const key = (e: KeyboardEvent) => {
    const by = e.key === 'ArrowLeft' ? -STEP : e.key === 'ArrowRight' ? STEP : 0;
    if (by !== 0) set(value + by * direction);
    else if (e.key === 'Home') set(min);
    else if (e.key === 'End') set(max);
    else return;
    e.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that moves is a widget; <hr> cannot be one
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      className={styles.splitter}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={onReset}
      onKeyDown={key}
    />
  );
}
