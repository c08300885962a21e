/** Code points of the standard alphabet (RFC 4648 section 4). */
const STANDARD = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') STANDARD[char.charCodeAt(0)] = 1;

/** Where Node's decoder is not at hand. A loop and not a pattern: fifteen megabytes overflow the stack of a backtracking matcher. */
export function isAlphabetOnly(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (STANDARD[text.charCodeAt(i)] !== 1) return false;
  return true;
}

/**
 * Ten times as fast: Node's decoder leaves out what is not of the alphabet, which shows in the length. It takes the URL-safe alphabet too, and
 * of a character beyond Latin-1 it looks at the low byte alone.
 */
function decodesWhole(buffer: typeof Buffer, text: string, padding: number): boolean {
  if (text.includes('-') || text.includes('_') || buffer.byteLength(text, 'utf8') !== text.length) return false;
  const decoded = buffer.from(text, 'base64');
  const isWhole = decoded.length === (text.length / 4) * 3 - padding;
  decoded.fill(0);
  return isWhole;
}

/** True for non-empty padded base64 (RFC 4648 section 4) without line breaks or anything else around it. */
export function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (typeof Buffer === 'function') return decodesWhole(Buffer, text, padding);
  return isAlphabetOnly(text.slice(0, text.length - padding));
}

/** Characters of `bytes` bytes in base64url without padding (RFC 4648 section 5). */
export function base64UrlChars(bytes: number): number {
  return Math.ceil((bytes * 4) / 3);
}
