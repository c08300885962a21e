/** Marks a line break; above the alphabet's 64 values. */
const LINE_BREAK = 0x40;
const PADDING = 0x80;
const FOREIGN = 0xff;

/** Byte → its value in the standard alphabet (RFC 4648 section 4), or one of the above. */
const VALUES = new Uint8Array(256).fill(FOREIGN);
for (const [value, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  VALUES[char.charCodeAt(0)] = value;
}
VALUES[0x0a] = LINE_BREAK;
VALUES[0x0d] = LINE_BREAK;
VALUES[0x3d] = PADDING;

/** Decodes complete groups of four characters from `at` on. @returns the position in the text where it stopped */
function decodeGroups(text: Uint8Array, at: number, out: Uint8Array, size: number): number {
  let [from, to] = [at, size];
  for (; from + 4 <= text.length; from += 4, to += 3) {
    const a = VALUES[text[from] as number] as number;
    const b = VALUES[text[from + 1] as number] as number;
    const c = VALUES[text[from + 2] as number] as number;
    const d = VALUES[text[from + 3] as number] as number;
    if ((a | b | c | d) > 63) break;
    const group = (a << 18) | (b << 12) | (c << 6) | d;
    out[to] = group >> 16;
    out[to + 1] = group >> 8;
    out[to + 2] = group;
  }
  return from;
}

/**
 * Decodes base64 (RFC 4648 section 4). Line breaks (CR, LF) are skipped and the padding is optional. Takes bytes
 * instead of a string, because a string with a photo cannot be wiped from memory.
 * @param text ASCII characters, one per byte
 * @returns the bytes in a buffer of their own, which the caller wipes; null for empty or invalid text, after wiping
 * what was decoded
 */
export function decodeBase64(text: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const out = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let size = 0;
  let held = 0;
  let pending = 0;
  let padding = 0;
  const refuse = () => {
    out.fill(0);
    return null;
  };
  for (let at = 0; at < text.length; at += 1) {
    if (pending === 0 && padding === 0) {
      const from = at;
      at = decodeGroups(text, at, out, size);
      size += ((at - from) / 4) * 3;
      if (at === text.length) break;
    }
    const value = VALUES[text[at] as number] as number;
    if (value === LINE_BREAK) continue;
    if (value === PADDING) padding += 1;
    else if (value > 63 || padding > 0) return refuse();
    else {
      held = (held << 6) | value;
      pending += 1;
    }
    if (pending < 4) continue;
    out[size] = held >> 16;
    out[size + 1] = held >> 8;
    out[size + 2] = held;
    size += 3;
    [held, pending] = [0, 0];
  }
  if (pending === 1 || (padding > 0 && pending + padding !== 4)) return refuse();
  if (pending === 2) out[size] = held >> 4;
  if (pending === 3) {
    out[size] = held >> 10;
    out[size + 1] = held >> 2;
  }
  size += Math.max(0, pending - 1);
  return size === 0 ? null : out.subarray(0, size);
}

/** True for what {@link decodeBase64} reads. */
export function isBase64(text: string): boolean {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return false;
    bytes[i] = unit;
  }
  const decoded = decodeBase64(bytes);
  decoded?.fill(0);
  bytes.fill(0);
  return decoded !== null;
}

/** The error message for a text that is not base64; never quotes it. @param start its first five characters */
export function base64Error(start: string): string {
  if (start === '') return 'must not be empty';
  return start.startsWith('data:')
    ? 'must be only base64: leave out the prefix of a data URL, up to the comma'
    : 'must be base64 (RFC 4648 section 4)';
}

/** Number of base64url characters without padding (RFC 4648 section 5) for `bytes` bytes. */
export function base64UrlChars(bytes: number): number {
  return Math.ceil((bytes * 4) / 3);
}
