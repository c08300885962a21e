import { ContractError } from './contract-error.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const codes = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
const NONE = 255;
const values = new Uint8Array(128).fill(NONE);
for (const [value, code] of codes.entries()) values[code] = value;

const ascii = new TextDecoder();

/** Bytes as base64url without padding, as all messages carry them. */
export function toBase64Url(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil((bytes.length * 4) / 3));
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let shift = 18; shift >= 0 && at < text.length; shift -= 6) text[at++] = codes[(group >> shift) & 63] ?? 0;
  }
  return ascii.decode(text);
}

/** @throws ContractError `message-invalid` for a text that {@link toBase64Url} does not give */
export function fromBase64Url(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let [at, bits, held] = [0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const value = values[text.charCodeAt(i)] ?? NONE;
    if (value === NONE) throw invalid();
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[at++] = bits >> held;
    }
  }
  if (held === 6 || (bits & ((1 << held) - 1)) !== 0) throw invalid();
  return bytes;
}

const invalid = () => new ContractError('message-invalid', 'bytes are not base64url');
