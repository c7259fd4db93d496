// Times, sizes and lengths for people. Local time, 24 hours; other days are named.
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dayAndYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const seconds = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

/** "14:02" today, "3 Mar, 14:02" before. */
export function timeOf(iso: string, now = new Date()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  const date = at.getFullYear() === now.getFullYear() ? day.format(at) : dayAndYear.format(at);
  return `${date}, ${clock.format(at)}`;
}

/** Two times beside each other; seconds where they would be the same without. */
export function rangeOf(from: string, to: string, now = new Date()): string {
  const both = [timeOf(from, now), timeOf(to, now)] as const;
  if (from === to || both[0] !== both[1]) return both.join(' → ');
  return [from, to].map((iso) => seconds.format(new Date(iso))).join(' → ');
}

export const fullTimeOf = (iso: string): string => full.format(new Date(iso));

/** "just now", "4 min ago", "3 h ago", "yesterday", else the date. */
export function agoOf(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const minutes = Math.floor((now.getTime() - at.getTime()) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (at.toDateString() === now.toDateString()) return `${Math.floor(minutes / 60)} h ago`;
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (at.toDateString() === yesterday.toDateString()) return 'yesterday';
  return at.getFullYear() === now.getFullYear() ? day.format(at) : dayAndYear.format(at);
}

/** "640 ms", "2.1 s", "3 min 4 s". */
export function lengthOf(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Decimal units, as file managers show them. */
export function bytesOf(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** "840", "12.4k", "1.2M". */
export function amountOf(n: number): string {
  if (n < 1000) return String(n);
  return n < 1_000_000 ? `${(n / 1000).toFixed(1)}k` : `${(n / 1_000_000).toFixed(1)}M`;
}
