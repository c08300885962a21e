import { ContractError } from './codec.ts';

/** Arguments of one call, which engines limit. */
const MOST_ARGUMENTS = 0x8000;

/** Bytes as base64url without padding, as all messages carry them. */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += MOST_ARGUMENTS)
    binary += String.fromCharCode(...bytes.subarray(at, at + MOST_ARGUMENTS));
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** @throws ContractError `message-invalid` for a text that {@link toBase64Url} does not give */
export function fromBase64Url(text: string): Uint8Array {
  const binary = binaryOf(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  // Bits that no byte takes are zero.
  if (toBase64Url(bytes.subarray(-(bytes.length % 3 || 3))) !== text.slice(4 * Math.floor((bytes.length - 1) / 3)))
    throw invalid();
  return bytes;
}

function binaryOf(text: string): string {
  if (!/^[\w-]*$/.test(text)) throw invalid();
  try {
    return atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  } catch {
    throw invalid();
  }
}

const invalid = () => new ContractError('message-invalid', 'bytes are not base64url');
