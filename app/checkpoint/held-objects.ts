// Which objects the packs of a store hold, read from their indexes in this process: a capture asks it of every object it
// is about to write, and asking git takes longer than writing them.
// Owns: reading a pack's index (gitformat-pack, version 2). Does not own: reading objects (objects.ts).
// Invariant: a pack counts only if, when it was first seen, its index was whole and named the very pack that lies beside
// it; in doubt an object is not held, and then it is written once more, which does no harm.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isAbsent } from './failure';

export interface HeldObjects {
  /** Looks at the folder again; packs that came or went since count from now on. */
  refresh(): void;
  has(oid: string): boolean;
}

const SUM_BYTES = 20;
const FAN_AT = 8;
const NAMES_AT = FAN_AT + 1024;

type PackIndex = { readonly names: Buffer; readonly fan: Uint32Array };
/** The sorted names in an index; null when it is not whole. */
export function parsePackIndex(all: Buffer): (PackIndex & { readonly packSum: Buffer }) | null {
  if (all.length < NAMES_AT + 2 * SUM_BYTES || all.readUInt32BE(0) !== 0xff744f63) return null;
  if (all.readUInt32BE(4) !== 2) return null;
  const body = all.subarray(0, all.length - SUM_BYTES);
  if (!createHash('sha1').update(body).digest().equals(all.subarray(body.length))) return null;
  const fan = Uint32Array.from({ length: 256 }, (_, i) => all.readUInt32BE(FAN_AT + i * 4));
  const count = fan[255] ?? 0;
  const names = all.subarray(NAMES_AT, NAMES_AT + count * SUM_BYTES);
  if (names.length !== count * SUM_BYTES) return null;
  return { names, fan, packSum: all.subarray(body.length - SUM_BYTES, body.length) };
}

function holds({ names, fan }: PackIndex, id: Buffer): boolean {
  const first = id[0] ?? 0;
  let [low, high] = [first === 0 ? 0 : (fan[first - 1] ?? 0), fan[first] ?? 0];
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = names.compare(id, 0, SUM_BYTES, middle * SUM_BYTES, (middle + 1) * SUM_BYTES);
    if (order === 0) return true;
    if (order > 0) high = middle;
    else low = middle + 1;
  }
  return false;
}

/** The last bytes of a pack: its own checksum, which its index names. */
function sumOfPack(file: string): Buffer {
  const fd = fs.openSync(file, 'r');
  try {
    const sum = Buffer.alloc(SUM_BYTES);
    const { size } = fs.fstatSync(fd);
    if (size > SUM_BYTES) fs.readSync(fd, sum, 0, SUM_BYTES, size - SUM_BYTES);
    return sum;
  } finally {
    fs.closeSync(fd);
  }
}

function readPackIndex(pack: string): PackIndex | null {
  try {
    const index = parsePackIndex(fs.readFileSync(`${pack}.idx`));
    return index?.packSum.equals(sumOfPack(`${pack}.pack`)) === true ? index : null;
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
}

/** @param folder `objects/pack` of a store */
export function openHeldObjects(folder: string): HeldObjects {
  let packs = new Map<string, PackIndex | null>();
  const namesIn = (): string[] => {
    try {
      return fs.readdirSync(folder).filter((f) => f.endsWith('.idx'));
    } catch (thrown) {
      if (isAbsent(thrown)) return [];
      throw thrown;
    }
  };
  return {
    refresh: () => {
      const next = new Map<string, PackIndex | null>();
      for (const file of namesIn()) {
        const name = file.slice(0, -'.idx'.length);
        const known = packs.get(name);
        next.set(name, known === undefined ? readPackIndex(path.join(folder, name)) : known);
      }
      packs = next;
    },
    has: (oid) => {
      const id = Buffer.from(oid, 'hex');
      for (const index of packs.values()) if (index !== null && holds(index, id)) return true;
      return false;
    },
  };
}
