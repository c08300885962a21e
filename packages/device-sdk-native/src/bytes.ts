import { ContractError } from './codec.ts';

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
  const rest = text.length % 4;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let at = 0;
  // Every character is looked at: one that is none sets bits above the six.
  let all = 0;
  const valueAt = (i: number): number => {
    const value = values[text.charCodeAt(i)] ?? NONE;
    all |= value;
    return value;
  };
  for (let i = 0; i < text.length - rest; i += 4) {
    const group = (valueAt(i) << 18) | (valueAt(i + 1) << 12) | (valueAt(i + 2) << 6) | valueAt(i + 3);
    bytes[at] = group >> 16;
    bytes[at + 1] = group >> 8;
    bytes[at + 2] = group;
    at += 3;
  }
  if (rest > 0) {
    const start = text.length - rest;
    const group =
      (valueAt(start) << 12) | (rest > 1 ? valueAt(start + 1) << 6 : 0) | (rest > 2 ? valueAt(start + 2) : 0);
    // One character alone has too few bits for a byte, and bits that no byte takes are zero.
    if (rest === 1 || (group & (rest === 2 ? 0x3ff : 0x3)) !== 0) throw invalid();
    for (let shift = 10; at < bytes.length; shift -= 8) bytes[at++] = group >> shift;
  }
  if (all > 63) throw invalid();
  return bytes;
}

const invalid = () => new ContractError('message-invalid', 'bytes are not base64url');
