import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readOrCreatePrivateFile } from './private-file.ts';

/** The region's Ed25519 key (RFC 8032): signs what devices trust. Its public half is pinned in the SDK by Region. */
export interface SigningKey {
  /** First 16 hex digits of the SHA-256 of the raw public key. */
  readonly keyId: string;
  /** Raw public key, 32 bytes, in base64url: what `Region.signingKeys` takes. */
  readonly publicKey: string;
  /** @returns 64 bytes */
  sign(message: Uint8Array): Uint8Array;
}

/**
 * Reads the key (PKCS #8, PEM), or makes it at first start, readable by its owner alone.
 * Nodes of one region share one file.
 * @throws Error when the file holds anything but an Ed25519 private key
 */
export async function openSigningKey(path: string): Promise<SigningKey> {
  const pem = await readOrCreatePrivateFile(path, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
  return toSigningKey(createPrivateKey(pem));
}

/** @throws Error when the key is no Ed25519 private key */
export function toSigningKey(privateKey: KeyObject): SigningKey {
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('the signing key is not an Ed25519 key');
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined) throw new Error('the signing key has no public half');
  const keyId = createHash('sha256').update(Buffer.from(x, 'base64url')).digest('hex').slice(0, 16);
  return { keyId, publicKey: x, sign: (message) => new Uint8Array(sign(null, message, privateKey)) };
}
