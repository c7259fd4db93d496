import { expect, it } from 'vitest';
import { colouredText, plainText } from './plain-text';

it('takes out what is meant for terminals, and nothing else', () => {
  expect(plainText('\u001b[1;32mok\u001b[0m [32m] a[0m\u001b[2K\u001b]0;title\u0007\u001b[?25l!')).toBe(
    'ok [32m] a[0m!',
  );
  expect(plainText('x = a[1m]')).toBe('x = a[1m]');
});

it('keeps colours, and of a line that was written over what was left of it', () => {
  const red = '\u001b[31mred\u001b[0m';
  expect(colouredText(`${red}\u001b[2K\u001b]0;title\u0007\r\n10%\r20%\rdone\r\n`)).toBe(`${red}\ndone\n`);
});
