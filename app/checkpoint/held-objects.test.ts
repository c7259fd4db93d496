import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHeldObjects } from './held-objects';
import { writePack } from './objects';
import { objectId, type RawObject } from './pack';

let folder: string;
let packs: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-held-'));
  execFileSync('git', ['init', '-q', '--bare', folder]);
  packs = path.join(folder, 'objects', 'pack');
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const blob = (text: string): RawObject => {
  const body = Buffer.from(text);
  return { oid: objectId('blob', body), type: 'blob', body };
};
const many = (prefix: string): RawObject[] => Array.from({ length: 600 }, (_, i) => blob(`${prefix} ${i}`));
const onlyPack = (): string =>
  path.join(
    packs,
    fs
      .readdirSync(packs)
      .find((f) => f.endsWith('.idx'))
      ?.slice(0, -4) ?? '',
  );

describe('held objects', () => {
  it('are those of all packs, and packs that come and go count at the next refresh', async () => {
    const [first, second] = [many('a'), many('b')];
    await writePack(packs, first);
    const held = openHeldObjects(packs);
    expect(held.has(first[0]?.oid ?? '')).toBe(false);
    held.refresh();
    expect(first.every((o) => held.has(o.oid))).toBe(true);
    expect(second.some((o) => held.has(o.oid))).toBe(false);
    const gone = onlyPack();
    await writePack(packs, second);
    held.refresh();
    expect([...first, ...second].every((o) => held.has(o.oid))).toBe(true);
    for (const end of ['.idx', '.pack']) fs.rmSync(gone + end);
    held.refresh();
    expect(first.some((o) => held.has(o.oid))).toBe(false);
    expect(second.every((o) => held.has(o.oid))).toBe(true);
  });

  it('are read from indexes that git wrote, too', () => {
    const work = path.join(folder, 'work');
    fs.mkdirSync(work);
    const git = (...args: string[]): Buffer =>
      execFileSync('git', ['--git-dir', folder, '--work-tree', work, ...args], { cwd: work });
    for (let i = 0; i < 300; i++) fs.writeFileSync(path.join(work, `${i}`), `text ${i}`);
    git('add', '-A');
    git('-c', 'user.name=u', '-c', 'user.email=u@example.com', 'commit', '-qm', 'x');
    git('repack', '-adq');
    const held = openHeldObjects(packs);
    held.refresh();
    const all = git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
      .toString()
      .trim()
      .split('\n');
    expect(all.length).toBeGreaterThan(300);
    expect(all.every((oid) => held.has(oid))).toBe(true);
  });

  it('are none of a pack that was cut or changed at its end, or whose index was (fault list C)', async () => {
    const objects = many('a');
    await writePack(packs, objects);
    const name = onlyPack();
    for (const end of ['.pack', '.idx']) {
      const whole = fs.readFileSync(name + end);
      for (const damaged of [
        whole.subarray(0, -1),
        whole.subarray(0, 40),
        Buffer.alloc(0),
        Buffer.from(whole).fill(0, whole.length - 20),
        ...(end === '.idx' ? [Buffer.from(whole).fill(0xff, 1040, 1044)] : []),
      ]) {
        fs.chmodSync(name + end, 0o600);
        fs.writeFileSync(name + end, damaged);
        const held = openHeldObjects(packs);
        held.refresh();
        expect(objects.some((o) => held.has(o.oid))).toBe(false);
      }
      fs.writeFileSync(name + end, whole);
    }
    const held = openHeldObjects(packs);
    held.refresh();
    expect(objects.every((o) => held.has(o.oid))).toBe(true);
  });
});
