// CRC-32 as pack indexes need it. Node has `zlib.crc32` only from 20.15 on, and the oldest runtime here is 18.
const TABLE = new Uint32Array(256).map((_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = (c & 1) === 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

/** The checksum of all parts one after the other. */
export function crc32(...parts: readonly Uint8Array[]): number {
  let c = 0xffffffff;
  for (const part of parts) {
    // an index loop: iterating a byte array costs ten times as much
    for (let i = 0; i < part.length; i++) c = (c >>> 8) ^ (TABLE[(c ^ (part[i] ?? 0)) & 0xff] ?? 0);
  }
  return (c ^ 0xffffffff) >>> 0;
}
