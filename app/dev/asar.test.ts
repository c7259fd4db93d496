import fs from 'node:fs';
import { expect, test } from 'vitest';
import { defaultAppArchive, packAsar, packDefaultApp } from './asar.mjs';

test('the archive says where each body lies', () => {
  const archive = packAsar(
    new Map([
      ['a.txt', Buffer.from('first')],
      ['ä.txt', Buffer.from('zweite')],
    ]),
  );
  const bodies = 8 + archive.readUInt32LE(4);
  const header = JSON.parse(archive.subarray(16, 16 + archive.readUInt32LE(12)).toString());
  const read = (name: string) => {
    const { offset, size } = header.files[name];
    return archive.subarray(bodies + Number(offset), bodies + Number(offset) + size).toString();
  };
  expect([archive.readUInt32LE(0), bodies % 4]).toEqual([4, 0]);
  expect([read('a.txt'), read('ä.txt')]).toEqual(['first', 'zweite']);
});

test('the committed default app is packed from its source: else run `node app/dev/asar.mjs`', () => {
  expect(fs.readFileSync(defaultAppArchive).equals(packDefaultApp())).toBe(true);
});
