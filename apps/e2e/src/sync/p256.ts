import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { RecipientPair } from './hpke-open.ts';

/** JSON Web Key (RFC 7517) of an uncompressed point. */
function jwkOf(point: Uint8Array) {
  const bytes = Buffer.from(point);
  return {
    kty: 'EC',
    crv: 'P-256',
    x: bytes.subarray(1, 33).toString('base64url'),
    y: bytes.subarray(33, 65).toString('base64url'),
  } as const;
}

export function p256PublicKey(point: Uint8Array): KeyObject {
  return createPublicKey({ key: jwkOf(point), format: 'jwk' });
}

/** @param scalar 32 bytes; a fresh pair when left out */
export function p256Pair(scalar?: Uint8Array): RecipientPair {
  const ecdh = createECDH('prime256v1');
  if (scalar === undefined) ecdh.generateKeys();
  else ecdh.setPrivateKey(scalar);
  const publicKey = ecdh.getPublicKey();
  const d = Buffer.from(ecdh.getPrivateKey().toString('hex').padStart(64, '0'), 'hex').toString('base64url');
  return { privateKey: createPrivateKey({ key: { ...jwkOf(publicKey), d }, format: 'jwk' }), publicKey };
}
