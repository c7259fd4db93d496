// One git pack and its index, built in memory: the objects of a snapshot go to disk as two files instead of one a
// file (a loose object costs 0.8 ms each; see ARCHITECTURE).
// Owns: the two formats (gitformat-pack, versions 2 and 2). Does not own: which objects, or where they go.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { crc32 } from './crc32';

export type ObjectType = 'commit' | 'tree' | 'blob';
export type RawObject = { readonly oid: string; readonly type: ObjectType; readonly body: Uint8Array };
export type Pack = { readonly name: string; readonly pack: readonly Uint8Array[]; readonly idx: Uint8Array };

const TYPE_CODE: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3 };
const deflateInThreads = promisify(deflate);

/** The id of an object. */
export function objectId(type: ObjectType, body: Uint8Array): string {
  return createHash('sha1').update(`${type} ${body.length}\0`, 'latin1').update(body).digest('hex');
}

/** Type and size as the pack format writes them: 4 bits of size, then 7 a byte, the high bit for "more". */
function objectHeader(type: ObjectType, size: number): Buffer {
  let rest = Math.floor(size / 16);
  const bytes = [(TYPE_CODE[type] << 4) | (size & 15)];
  while (rest > 0) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest & 0x7f);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from(bytes);
}

/** From this size on the thread pool pays; below, handing an object over costs more than deflating it. */
const LARGE = 128 * 1024;
/** Up to this size deflating saves next to nothing (a tree is mostly ids), and setting it up costs more than all else. */
const SMALL = 1024;

/** A zlib stream that holds the bytes as they are (RFC 1950 around one stored block of RFC 1951). */
function storedStream(body: Uint8Array): Buffer {
  const out = Buffer.alloc(body.length + 11);
  out.writeUInt16BE(0x7801, 0);
  out[2] = 1;
  out.writeUInt16LE(body.length, 3);
  out.writeUInt16LE(body.length ^ 0xffff, 5);
  out.set(body, 7);
  let [a, b] = [1, 0];
  // no overflow: the sums of so few bytes are small, so one division at the end will do
  for (let i = 0; i < body.length; i++) {
    a += body[i] ?? 0;
    b += a;
  }
  out.writeUInt32BE((b % 65_521) * 65_536 + (a % 65_521), body.length + 7);
  return out;
}

/** Tables no larger than the object needs: setting up the usual ones takes longer than deflating a source file. */
function deflateHere(body: Uint8Array): Buffer {
  const windowBits = Math.min(15, Math.max(9, Math.ceil(Math.log2(body.length))));
  const memLevel = Math.min(8, windowBits - 6);
  return deflateSync(body, { level: 1, windowBits, memLevel });
}

/** Level 1: the time matters more than the bytes. */
async function deflateAll(objects: readonly RawObject[]): Promise<Buffer[]> {
  const out: Buffer[] = [];
  for (const [i, o] of objects.entries()) {
    if (o.body.length <= SMALL) out.push(storedStream(o.body));
    else if (o.body.length < LARGE) out.push(deflateHere(o.body));
    else out.push(await deflateInThreads(o.body, { level: 1 }));
    if (i % 256 === 255) await new Promise((resolve) => setImmediate(resolve));
  }
  return out;
}

type Row = { oid: string; crc: number; offset: number };

function buildIdx(rows: readonly Row[], packSum: Buffer): Buffer {
  const n = rows.length;
  const idx = Buffer.alloc(8 + 1024 + n * 28 + 40);
  idx.writeUInt32BE(0xff744f63, 0);
  idx.writeUInt32BE(2, 4);
  const fan = new Uint32Array(256);
  for (const r of rows) {
    const first = Number.parseInt(r.oid.slice(0, 2), 16);
    fan[first] = (fan[first] ?? 0) + 1;
  }
  let sum = 0;
  for (let i = 0; i < 256; i++) {
    sum += fan[i] ?? 0;
    idx.writeUInt32BE(sum, 8 + i * 4);
  }
  rows.forEach((r, i) => {
    idx.write(r.oid, 1032 + i * 20, 'hex');
    idx.writeUInt32BE(r.crc, 1032 + n * 20 + i * 4);
    idx.writeUInt32BE(r.offset, 1032 + n * 24 + i * 4);
  });
  packSum.copy(idx, 1032 + n * 28);
  createHash('sha1')
    .update(idx.subarray(0, idx.length - 20))
    .digest()
    .copy(idx, idx.length - 20);
  return idx;
}

/** Packs at least one object. The caller keeps one pack below 2 GiB (offsets are 31 bits). */
export async function buildPack(objects: readonly RawObject[]): Promise<Pack> {
  const head = Buffer.alloc(12);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts: Uint8Array[] = [head];
  const rows: Row[] = [];
  let offset = 12;
  const deflated = await deflateAll(objects);
  objects.forEach((o, i) => {
    const header = objectHeader(o.type, o.body.length);
    const data = deflated[i] ?? Buffer.alloc(0);
    rows.push({ oid: o.oid, crc: crc32(header, data), offset });
    parts.push(header, data);
    offset += header.length + data.length;
  });
  const hash = createHash('sha1');
  for (const p of parts) hash.update(p);
  const packSum = hash.digest();
  parts.push(packSum);
  rows.sort((a, b) => (a.oid < b.oid ? -1 : 1));
  return { name: `pack-${packSum.toString('hex')}`, pack: parts, idx: buildIdx(rows, packSum) };
}
