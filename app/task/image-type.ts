// Whether bytes are a picture that a window can show, by how they begin. Pure.
// SVG is not among them: it is text, and is compared as such.

const SIGNS: readonly { readonly type: string; readonly at: number; readonly bytes: readonly number[] }[] = [
  { type: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
  { type: 'image/avif', at: 4, bytes: [0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69, 0x66] },
  { type: 'image/x-icon', at: 0, bytes: [0x00, 0x00, 0x01, 0x00] },
  { type: 'image/bmp', at: 0, bytes: [0x42, 0x4d] },
];

/** The media type, or null: no picture of these kinds. */
export const imageType = (bytes: Uint8Array): string | null =>
  SIGNS.find((s) => s.bytes.every((b, i) => bytes[s.at + i] === b))?.type ?? null;
