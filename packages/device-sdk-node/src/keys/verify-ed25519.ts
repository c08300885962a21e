import { createPublicKey, verify } from 'node:crypto';
import type { VerifyEd25519 } from '@svc/device-sdk/adapters';

/**
 * Ed25519 by node:crypto. OpenSSL checks RFC 8032's equation without the cofactor. For a key of prime order, such as a
 * pinned one, it accepts nothing that the default implementation rejects.
 */
export const verifyEd25519: VerifyEd25519 = (signature, message, publicKey) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};
