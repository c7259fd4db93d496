import { expect, it } from 'vitest';
import { plainText } from './plain-text';

it('takes out what is meant for terminals, and nothing else', () => {
  expect(plainText('\u001b[1;32mok\u001b[0m [32m] a[0m\u001b[2K\u001b]0;title\u0007\u001b[?25l!')).toBe(
    'ok [32m] a[0m!',
  );
  expect(plainText('x = a[1m]')).toBe('x = a[1m]');
});
