/**
 * Crockford's base32 alphabet in lower case (no i, l, o, u), in ASCII order, so that identifiers sort by time.
 * Libraries put the two spare bits of the 26 characters at the end and accept non-canonical texts.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Two zero bits and a UUID's 128 bits: the 11th character holds version 7, the 14th the variant. */
const UUIDV7_TEXT = /^[0-7][0-9a-hjkmnp-tv-z]{9}[ef][0-9a-hjkmnp-tv-z]{2}[89abrstv][0-9a-hjkmnp-tv-z]{12}$/;

/**
 * Type prefixes of identifiers: account, API key, event, enrolment token, list, device, model (a recognition model: an
 * engine), webhook, delivery of a webhook, user of the dashboard, session, passkey, challenge of a passkey,
 * mailing to guests.
 */
export const idPrefixes = [
  'acc',
  'key',
  'evt',
  'tok',
  'lst',
  'dev',
  'mdl',
  'whk',
  'dlv',
  'usr',
  'ses',
  'psk',
  'chl',
  'mlg',
] as const;
export type IdPrefix = (typeof idPrefixes)[number];

/** Length of an identifier: prefix, underscore, 26 characters of Crockford base32. */
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
 * `evt_…`: the prefix and the UUID in lower-case Crockford base32, 30 characters; sorts by time.
 * @throws RangeError when there are not 16 bytes
 */
export function formatId(prefix: IdPrefix, uuidv7Bytes: Uint8Array): string {
  if (uuidv7Bytes.length !== 16) throw new RangeError('formatId: 16 bytes are needed');
  return `${prefix}_${encodeCrockford128(uuidv7Bytes)}`;
}

/** True for the texts that {@link formatId} produces for this prefix from a version 7 UUID. Never throws. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && UUIDV7_TEXT.test(text.slice(prefix.length + 1));
}
