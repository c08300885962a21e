import { createCipheriv } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';

/**
 * HPKE in base mode (RFC 9180: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM) with a given ephemeral key, written
 * from the RFC for the vectors: the devices use other implementations.
 */

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const concat = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));
const u16 = (value: number): Uint8Array => Uint8Array.of(value >> 8, value & 255);

const KEM = concat(utf8('KEM'), u16(0x0010));
const HPKE = concat(utf8('HPKE'), u16(0x0010), u16(0x0001), u16(0x0002));
const VERSION = utf8('HPKE-v1');

const labeledExtract = (suite: Uint8Array, salt: Uint8Array, label: string, ikm: Uint8Array): Uint8Array =>
  extract(sha256, concat(VERSION, suite, utf8(label), ikm), salt);
const labeledExpand = (
  suite: Uint8Array,
  prk: Uint8Array,
  label: string,
  info: Uint8Array,
  length: number,
): Uint8Array => expand(sha256, prk, concat(u16(length), VERSION, suite, utf8(label), info), length);

/** The uncompressed public key of a private one. */
export const publicKeyOf = (privateKey: Uint8Array): Uint8Array => p256.getPublicKey(privateKey, false);

/** The shared secret of an encapsulation (RFC 9180, 4.1). */
export function sharedSecretOf(ephemeral: Uint8Array, recipient: Uint8Array): Uint8Array {
  const dh = p256.getSharedSecret(ephemeral, recipient, false).subarray(1, 33);
  const prk = labeledExtract(KEM, new Uint8Array(), 'eae_prk', dh);
  return labeledExpand(KEM, prk, 'shared_secret', concat(publicKeyOf(ephemeral), recipient), 32);
}

/** Seals a text to a public key, with an empty aad. */
export function seal(o: {
  readonly ephemeral: Uint8Array;
  readonly recipient: Uint8Array;
  readonly info: Uint8Array;
  readonly plaintext: Uint8Array;
}): { readonly enc: Uint8Array; readonly ciphertext: Uint8Array } {
  const none = new Uint8Array();
  const context = concat(
    Uint8Array.of(0),
    labeledExtract(HPKE, none, 'psk_id_hash', none),
    labeledExtract(HPKE, none, 'info_hash', o.info),
  );
  const secret = labeledExtract(HPKE, sharedSecretOf(o.ephemeral, o.recipient), 'secret', none);
  const key = labeledExpand(HPKE, secret, 'key', context, 32);
  const cipher = createCipheriv('aes-256-gcm', key, labeledExpand(HPKE, secret, 'base_nonce', context, 12));
  const ciphertext = concat(cipher.update(o.plaintext), cipher.final(), cipher.getAuthTag());
  return { enc: publicKeyOf(o.ephemeral), ciphertext };
}
