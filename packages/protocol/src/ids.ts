import { CROCKFORD_128_CHARS, decodeCrockford128, encodeCrockford128 } from './crockford.ts';

/** Type prefixes of identifiers: account, API key, event, enrolment token, list, device, model (a recognition model: an engine), webhook, delivery of a webhook. */
export const idPrefixes = ['acc', 'key', 'evt', 'tok', 'lst', 'dev', 'mdl', 'whk', 'dlv'] as const;
export type IdPrefix = (typeof idPrefixes)[number];

/** Characters of an identifier: prefix, underscore, 26 of Crockford base32. */
export const ID_CHARS = 4 + CROCKFORD_128_CHARS;

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

/**
 * `evt_…`: the prefix and the UUID in lower-case Crockford base32, 30 characters; the order of the strings is the order of the times.
 * @throws RangeError when the bytes are not 16
 */
export function formatId(prefix: IdPrefix, uuidv7Bytes: Uint8Array): string {
  if (uuidv7Bytes.length !== 16) throw new RangeError('formatId: 16 bytes are needed');
  return `${prefix}_${encodeCrockford128(uuidv7Bytes)}`;
}

/** True for exactly what {@link formatId} writes for this prefix from a UUID of version 7. Never throws. */
export function isId(prefix: IdPrefix, text: string): boolean {
  if (text.length !== ID_CHARS || !text.startsWith(`${prefix}_`)) return false;
  const bytes = decodeCrockford128(text.slice(prefix.length + 1));
  return bytes !== null && ((bytes[6] ?? 0) & 0xf0) === 0x70 && ((bytes[8] ?? 0) & 0xc0) === 0x80;
}
