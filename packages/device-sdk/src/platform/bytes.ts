import { base64urlnopad } from '@scure/base';

/** base64url without padding (RFC 4648 section 5). For public bytes only: its tables are looked up by value. */
export const toBase64Url = (bytes: Uint8Array): string => base64urlnopad.encode(bytes);

/** Decodes canonical base64url without padding; null for anything else, including non-zero trailing bits. */
export function fromBase64Url(text: string): Uint8Array | null {
  try {
    return base64urlnopad.decode(text);
  } catch {
    return null;
  }
}

/** Equal length and content, in constant time for equal lengths; null equals nothing. */
export function sameBytes(a: Uint8Array | null, b: Uint8Array): boolean {
  if (a === null || a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
