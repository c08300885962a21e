import { createPublicKey, verify } from 'node:crypto';
import type { VerifyEd25519 } from '@svc/device-sdk/adapters';

/**
 * Ed25519 by node:crypto. OpenSSL checks RFC 8032's equation without its cofactor: it refuses a few signatures that a
 * service could only make on purpose with its own key, and takes none that the default refuses for a key that is of the
 * group's order, as a pinned one is.
 */
export const verifyEd25519: VerifyEd25519 = (signature, message, publicKey) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};
