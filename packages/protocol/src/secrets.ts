/**
 * Prefixes of API keys, those of test accounts, enrolment tokens, device tokens, sessions of the dashboard, and links
 * that sign in to it; secret scanners recognise them.
 */
export const secretPrefixes = ['svck', 'svct', 'svce', 'svcd', 'svcs', 'svcl'] as const;
export type SecretPrefix = (typeof secretPrefixes)[number];

/** Whether people are enrolled with photos, or drawn test photos stand for them. An account is made one or the other. */
export const accountModes = ['live', 'test'] as const;
export type AccountMode = (typeof accountModes)[number];
/** The prefix of an account's API keys. */
export const apiKeyPrefixes = { live: 'svck', test: 'svct' } as const satisfies Record<AccountMode, SecretPrefix>;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARS = 43; // 62⁴³ > 2²⁵⁶
const CHECKSUM_CHARS = 6; // 62⁶ > 2³²

/** Length of every secret: prefix, underscore, 43 random characters, 6 of checksum. */
export const SECRET_CHARS = 4 + 1 + RANDOM_CHARS + CHECKSUM_CHARS;

/** Big-endian bytes to base 62 by long division, left-padded to `chars`. */
function encodeBase62(bytes: Uint8Array, chars: number): string {
  const digits = Uint8Array.from(bytes);
  let out = '';
  for (let i = 0; i < chars; i += 1) {
    let remainder = 0;
    for (let j = 0; j < digits.length; j += 1) {
      const value = remainder * 256 + (digits[j] ?? 0);
      digits[j] = Math.floor(value / 62);
      remainder = value % 62;
    }
    out = ALPHABET.charAt(remainder) + out;
  }
  digits.fill(0);
  return out;
}

/** CRC-32 of ISO 3309 (reflected 0xEDB88320), as in gzip and PNG, over one byte per character. */
export function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < ascii.length; i += 1) {
    crc ^= ascii.charCodeAt(i);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

function checksum(text: string): string {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, crc32(text));
  return encodeBase62(bytes, CHECKSUM_CHARS);
}

/**
 * `svcd_…`: 32 random bytes in base62, then the base62 CRC-32 of everything before it; always 54 characters.
 * @param random32 from a CSPRNG; the caller wipes it
 * @throws RangeError when the bytes are not 32
 */
export function formatSecret(prefix: SecretPrefix, random32: Uint8Array): string {
  if (random32.length !== 32) throw new RangeError('formatSecret: 32 random bytes are needed');
  const body = `${prefix}_${encodeBase62(random32, RANDOM_CHARS)}`;
  return body + checksum(body);
}

/**
 * True when prefix, length, alphabet and checksum are right, so that a typo needs no database query. Does not tell
 * whether the secret is valid.
 */
export function isSecret(prefix: SecretPrefix, text: string): boolean {
  if (text.length !== SECRET_CHARS || !text.startsWith(`${prefix}_`)) return false;
  const body = text.slice(0, SECRET_CHARS - CHECKSUM_CHARS);
  if (!/^[0-9A-Za-z]+$/.test(text.slice(prefix.length + 1))) return false;
  return checksum(body) === text.slice(SECRET_CHARS - CHECKSUM_CHARS);
}

/** The kind of secret that a text's prefix indicates, or null; distinguishes a wrong kind of credential from none. */
export function secretPrefixOf(text: string): SecretPrefix | null {
  return secretPrefixes.find((prefix) => text.startsWith(`${prefix}_`)) ?? null;
}
