import { expect, it } from 'vitest';
import { rangeOf } from './time';

it('shows seconds only where two times would look the same', () => {
  const now = new Date('2024-05-01T15:00:00');
  const at = (time: string) => new Date(`2024-05-01T${time}`).toISOString();
  expect(rangeOf(at('14:02:05'), at('14:03:01'), now)).toBe('14:02 → 14:03');
  expect(rangeOf(at('14:02:05'), at('14:02:41'), now)).toBe('14:02:05 → 14:02:41');
});
