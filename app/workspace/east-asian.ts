// Which East Asian encoding the bytes of a text are in, where that can be told. Pure.
// Owns: the guess. Does not own: decoding. A wrong guess harms no byte: whoever decodes checks that the text gives the
// same bytes again. It decides how the text reads, and which new characters can be written into it.

export type EastAsian = 'gbk' | 'shift-jis';

/** Of the two-byte characters, so many have to be common ones. */
const MOSTLY = 0.7;
/** A Japanese text has this share of kana and punctuation at least. */
const KANA_SHARE = 0.2;

/** null: neither, or not to be told. `bytes` are not valid UTF-8. */
export function eastAsianOf(bytes: Uint8Array): EastAsian | null {
  if (isShiftJis(bytes)) return 'shift-jis';
  return isGbk(bytes) ? 'gbk' : null;
}

/** Japanese without kana is rare, and kana begin with bytes that hardly occur in the encodings of Europe. */
function isShiftJis(bytes: Uint8Array): boolean {
  let pairs = 0;
  let kana = 0;
  let marks = 0;
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i] ?? 0;
    if (lead < 0x80 || (lead >= 0xa1 && lead <= 0xdf)) continue;
    const trail = bytes[++i] ?? 0;
    const isLead = (lead >= 0x81 && lead <= 0x9f) || (lead >= 0xe0 && lead <= 0xfc);
    if (!isLead || trail < 0x40 || trail === 0x7f || trail > 0xfc) return false;
    pairs++;
    if ((lead === 0x82 && trail >= 0x9f) || (lead === 0x83 && trail <= 0x96)) kana++;
    if (lead === 0x81) marks++;
  }
  return kana > 0 && kana + marks >= pairs * KANA_SHARE;
}

/** Chinese is made of the common characters and signs of GB 2312, both bytes of which are high. */
function isGbk(bytes: Uint8Array): boolean {
  let pairs = 0;
  let common = 0;
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i] ?? 0;
    if (lead < 0x80) continue;
    const trail = bytes[++i] ?? 0;
    if (lead === 0x80 || lead === 0xff || trail < 0x40 || trail === 0x7f || trail === 0xff) return false;
    pairs++;
    const isSign = lead >= 0xa1 && lead <= 0xa3;
    if (trail >= 0xa1 && (isSign || (lead >= 0xb0 && lead <= 0xd7))) common++;
  }
  return pairs > 0 && common >= pairs * MOSTLY;
}
