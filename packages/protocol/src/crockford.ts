/** Crockford's base32 alphabet in lower case: no i, l, o, u; its order is the byte order, so identifiers sort by time. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Characters of 128 bits, the first of which carries only three. */
export const CROCKFORD_128_CHARS = 26;

/** 16 bytes as 26 characters, most significant bits first. */
export function encodeCrockford128(bytes: Uint8Array): string {
  let out = '';
  let buffer = 0;
  let bits = 2; // 26 × 5 = 130: two zero bits lead
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += ALPHABET[(buffer >>> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return out;
}

/** The 16 bytes of 26 characters, or null where the text is not exactly what {@link encodeCrockford128} writes. */
export function decodeCrockford128(text: string): Uint8Array | null {
  if (text.length !== CROCKFORD_128_CHARS) return null;
  const out = new Uint8Array(16);
  let buffer = 0;
  let bits = -2;
  let at = 0;
  for (const char of text) {
    const value = ALPHABET.indexOf(char);
    if (value < 0) return null;
    buffer = (buffer << 5) | value;
    bits += 5;
    if (at === 0 && bits === 3 && value > 7) return null;
    if (bits >= 8) {
      bits -= 8;
      out[at] = (buffer >>> bits) & 255;
      at += 1;
    }
    buffer &= (1 << Math.max(bits, 0)) - 1;
  }
  return out;
}
