import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { FaceError } from '@svc/core';
import type { SealedSecret } from './key-store.ts';

type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A P-256 pair in WebCrypto; the private key need not be extractable. */
export interface DeviceKeyPair {
  readonly privateKey: WebCryptoKey;
  readonly publicKey: WebCryptoKey;
}

const ALGORITHM = { name: 'ECDH', namedCurve: 'P-256' } as const;

/** RFC 9180: DHKEM(P-256, HKDF-SHA256) 0x0010, HKDF-SHA256 0x0001, AES-256-GCM 0x0002. */
export const createListKeySuite = (): CipherSuite =>
  new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });

/** Generates a key pair in WebCrypto. */
export async function generateDeviceKeyPair(extractable: boolean): Promise<DeviceKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, extractable, ['deriveBits']);
}

/** The uncompressed point, 65 bytes. */
export async function rawPublicKey({ publicKey }: DeviceKeyPair): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));
}

/** PKCS #8 (RFC 5958) of an extractable private key; the caller wipes it. */
export async function exportPrivateKey({ privateKey }: DeviceKeyPair): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey));
}

/** Imports a pair with a non-extractable private key. @throws DOMException if the bytes are not such a pair */
export async function importDeviceKeyPair(pkcs8: Uint8Array, publicKey: Uint8Array): Promise<DeviceKeyPair> {
  const copy = copied(pkcs8);
  try {
    return {
      privateKey: await crypto.subtle.importKey('pkcs8', copy, ALGORITHM, false, ['deriveBits']),
      publicKey: await crypto.subtle.importKey('raw', copied(publicKey), ALGORITHM, true, []),
    };
  } finally {
    new Uint8Array(copy).fill(0);
  }
}

/** Bytes of a list key and of a check-in secret. */
export const SECRET_BYTES = 32;

/** @returns the secret, 32 bytes, which the caller wipes. @throws FaceError `open-failed` */
export async function openSealedSecret(pair: DeviceKeyPair, sealed: SealedSecret): Promise<Uint8Array<ArrayBuffer>> {
  const opened = await openSealed(pair, sealed);
  if (opened.length === SECRET_BYTES) return opened;
  opened.fill(0);
  throw new FaceError('open-failed', 'the sealed key has another length');
}

async function openSealed(pair: DeviceKeyPair, sealed: SealedSecret): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const recipient = await createListKeySuite().createRecipientContext({
      recipientKey: pair,
      enc: copied(sealed.enc),
      info: copied(sealed.info),
    });
    return new Uint8Array(await recipient.open(copied(sealed.ciphertext)));
  } catch {
    throw new FaceError('open-failed', 'the sealed key does not open');
  }
}

/** A separate buffer: the library reads the whole buffer under a view, and browsers' types reject shared ones. */
const copied = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;
