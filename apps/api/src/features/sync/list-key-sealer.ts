import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { listKeySealInfo } from '@svc/core/pack';

/** HPKE (RFC 9180) with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM: what device keystores can open. */
export const listKeySuite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});

/** A list key that one device alone can open. */
export interface SealedListKey {
  /** Encapsulated key, 65 bytes. */
  readonly enc: Uint8Array;
  /** 48 bytes: the key and its tag. */
  readonly ciphertext: Uint8Array;
}

/**
 * Seals a list key in base mode, info binding list, device and epoch, no associated data.
 * @param devicePublicKey uncompressed P-256 point that was seen to be on the curve
 * @param listKey 32 bytes; stays the caller's, who wipes it
 */
export async function sealListKey(
  devicePublicKey: Uint8Array,
  context: { readonly listId: string; readonly deviceId: string; readonly epoch: number },
  listKey: Uint8Array,
): Promise<SealedListKey> {
  const recipientPublicKey = await listKeySuite.kem.deserializePublicKey(Uint8Array.from(devicePublicKey).buffer);
  const info = Uint8Array.from(listKeySealInfo(context)).buffer;
  const plaintext = Uint8Array.from(listKey);
  try {
    const { enc, ct } = await listKeySuite.seal({ recipientPublicKey, info }, plaintext.buffer);
    return { enc: new Uint8Array(enc), ciphertext: new Uint8Array(ct) };
  } finally {
    plaintext.fill(0);
  }
}
