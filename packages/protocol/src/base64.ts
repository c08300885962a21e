/** Code points of the standard alphabet (RFC 4648 section 4). */
const STANDARD = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') STANDARD[char.charCodeAt(0)] = 1;

/**
 * True for non-empty padded base64 (RFC 4648 section 4) without line breaks or anything else around it.
 * A loop and not a pattern: fifteen megabytes overflow the stack of a backtracking matcher.
 */
export function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  let end = text.length;
  if (text.endsWith('==')) end -= 2;
  else if (text.endsWith('=')) end -= 1;
  for (let i = 0; i < end; i += 1) if (STANDARD[text.charCodeAt(i)] !== 1) return false;
  return true;
}

/** Characters of `bytes` bytes in base64url without padding (RFC 4648 section 5). */
export function base64UrlChars(bytes: number): number {
  return Math.ceil((bytes * 4) / 3);
}
