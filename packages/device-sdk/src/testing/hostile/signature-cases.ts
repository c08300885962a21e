import { ed25519 } from '@noble/curves/ed25519.js';
import { signingKeyId } from '../../region.ts';
import { body } from './bend-payload.ts';
import { foreignKey, foreignSecret } from './foreign-identities.ts';
import { bent, flip, type HostileCase } from './hostile-case.ts';

/** The order of the group of Ed25519, little-endian (RFC 8032, section 5.1). */
const ORDER = Uint8Array.from(Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex'));

/** Unsigned, signed by another key, or over other data. */
export const signatureCases: readonly HostileCase[] = [
  bent('an unsigned answer', 'signature-invalid', (draft) => {
    draft.sign = () => new Uint8Array(64);
  }),
  bent('a key that is not pinned', 'unknown-signing-key', (draft) => {
    draft.keyId = signingKeyId(foreignKey);
    draft.sign = (message) => ed25519.sign(message, foreignSecret);
  }),
  bent('another key under the pinned one’s name', 'signature-invalid', (draft) => {
    draft.sign = (message) => ed25519.sign(message, foreignSecret);
  }),
  bent('a signature over the manifest alone', 'signature-invalid', (draft, service) => {
    draft.sign = (message) => ed25519.sign(message.subarray(13), service.signingSecret);
  }),
  bent('a signature for another payload kind', 'signature-invalid', (draft, service) => {
    draft.sign = (message) => ed25519.sign(message.slice().fill(0, 12, 13), service.signingSecret);
  }),
  bent('a signature whose scalar was made another of the same residue', 'signature-invalid', (draft, service) => {
    draft.sign = (message) => {
      const signed = ed25519.sign(message, service.signingSecret).slice();
      let carry = 0;
      for (let i = 0; i < 32; i += 1) {
        const sum = (signed[32 + i] ?? 0) + (ORDER[i] ?? 0) + carry;
        signed[32 + i] = sum & 255;
        carry = sum >> 8;
      }
      return signed;
    };
  }),
  bent(
    'a flipped bit in the manifest',
    'signature-invalid',
    body((bytes) => flip(bytes, 40)),
  ),
];
