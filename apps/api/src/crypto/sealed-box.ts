import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Random } from '../platform/ports.ts';

const SALT_BYTES = 24;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const CIPHER = 'aes-256-gcm';

/** Difference in length between a sealed box and its content, in bytes. */
export const SEALED_BOX_OVERHEAD = SALT_BYTES + TAG_BYTES;

/** Each field preceded by its length (u16, big-endian), so that the encoding is unambiguous. */
export function encodeContext(...fields: readonly string[]): Uint8Array {
  const parts = fields.map((field) => Buffer.from(field, 'utf8'));
  const out = Buffer.alloc(parts.reduce((size, part) => size + 2 + part.length, 0));
  let at = 0;
  for (const part of parts) {
    at = out.writeUInt16BE(part.length, at);
    at += part.copy(out, at);
  }
  return out;
}

/** Derives a box's key and nonce from a fresh salt: a key may seal any number of boxes without reusing a nonce. */
function derive(key: Uint8Array, salt: Uint8Array, context: Uint8Array): { key: Uint8Array; nonce: Uint8Array } {
  const okm = new Uint8Array(hkdfSync('sha256', key, salt, context, KEY_BYTES + NONCE_BYTES));
  return { key: okm.subarray(0, KEY_BYTES), nonce: okm.subarray(KEY_BYTES) };
}

/**
 * salt (24) ‖ AES-256-GCM ciphertext ‖ tag (16), key and nonce by HKDF-SHA-256 (RFC 5869) with the context as info and
 * as associated data.
 * @param key 32 bytes, not wiped here
 */
export function sealBox(random: Random, key: Uint8Array, plaintext: Uint8Array, context: Uint8Array): Uint8Array {
  const salt = random.bytes(SALT_BYTES);
  const derived = derive(key, salt, context);
  const cipher = createCipheriv(CIPHER, derived.key, derived.nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(context);
  const box = Buffer.concat([salt, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  derived.key.fill(0);
  return box;
}

/**
 * Opens what {@link sealBox} made, into a buffer that the caller wipes.
 * @returns null for a wrong key, context or box, without distinction
 */
export function openBox(key: Uint8Array, box: Uint8Array, context: Uint8Array): Uint8Array | null {
  if (box.length < SEALED_BOX_OVERHEAD) return null;
  const derived = derive(key, box.subarray(0, SALT_BYTES), context);
  try {
    const decipher = createDecipheriv(CIPHER, derived.key, derived.nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(context);
    decipher.setAuthTag(box.subarray(box.length - TAG_BYTES));
    const first = decipher.update(box.subarray(SALT_BYTES, box.length - TAG_BYTES));
    decipher.final();
    const plaintext = new Uint8Array(first);
    first.fill(0);
    return plaintext;
  } catch {
    return null;
  } finally {
    derived.key.fill(0);
  }
}
