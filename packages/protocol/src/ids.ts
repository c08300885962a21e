/**
 * Crockford's base32 alphabet in lower case: no i, l, o, u; its order is the byte order, so identifiers sort by time.
 * Libraries put the two spare bits of 26 characters behind the 128, and read what is not canonical.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 128 bits behind two zero bits, of a UUID: version 7 in the 11th character, its variant in the 14th. */
const UUIDV7_TEXT = /^[0-7][0-9a-hjkmnp-tv-z]{9}[ef][0-9a-hjkmnp-tv-z]{2}[89abrstv][0-9a-hjkmnp-tv-z]{12}$/;

/**
 * Type prefixes of identifiers: account, API key, event, enrolment token, list, device, model (a recognition model: an
 * engine), webhook, delivery of a webhook.
 */
export const idPrefixes = ['acc', 'key', 'evt', 'tok', 'lst', 'dev', 'mdl', 'whk', 'dlv'] as const;
export type IdPrefix = (typeof idPrefixes)[number];

/** Characters of an identifier: prefix, underscore, 26 of Crockford base32. */
export const ID_CHARS = 4 + 26;

/**
 * UUID version 7 (RFC 9562 section 5.7): 48 bits of Unix milliseconds, then random bits.
 * @param nowMs 0 ≤ nowMs < 2⁴⁸
 * @param random10 ten bytes from the caller's CSPRNG; six of their bits are overwritten by version and variant
 * @returns 16 bytes, owned by the caller
 * @throws RangeError when either argument is out of its domain
 */
export function uuidv7(nowMs: number, random10: Uint8Array): Uint8Array {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs >= 2 ** 48) throw new RangeError('uuidv7: time out of range');
  if (random10.length !== 10) throw new RangeError('uuidv7: ten random bytes are needed');
  const out = new Uint8Array(16);
  const view = new DataView(out.buffer);
  view.setUint32(0, Math.floor(nowMs / 2 ** 16));
  view.setUint16(4, nowMs % 2 ** 16);
  out.set(random10, 6);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  return out;
}

/** 16 bytes as 26 characters, most significant bits first. */
function encodeCrockford128(bytes: Uint8Array): string {
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

/**
 * `evt_…`: the prefix and the UUID in lower-case Crockford base32, 30 characters; the order of the strings is the order
 * of the times.
 * @throws RangeError when the bytes are not 16
 */
export function formatId(prefix: IdPrefix, uuidv7Bytes: Uint8Array): string {
  if (uuidv7Bytes.length !== 16) throw new RangeError('formatId: 16 bytes are needed');
  return `${prefix}_${encodeCrockford128(uuidv7Bytes)}`;
}

/** True for exactly what {@link formatId} writes for this prefix from a UUID of version 7. Never throws. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && UUIDV7_TEXT.test(text.slice(prefix.length + 1));
}
