import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
} from 'node:crypto';

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

function p256PublicKey(point: Uint8Array): KeyObject {
  return createPublicKey({ key: jwkOf(point), format: 'jwk' });
}

/** @param scalar 32 bytes; default: a new pair */
export function p256Pair(scalar?: Uint8Array): RecipientPair {
  const ecdh = createECDH('prime256v1');
  if (scalar === undefined) ecdh.generateKeys();
  else ecdh.setPrivateKey(scalar);
  const publicKey = ecdh.getPublicKey();
  const d = Buffer.from(ecdh.getPrivateKey().toString('hex').padStart(64, '0'), 'hex').toString('base64url');
  return { privateKey: createPrivateKey({ key: { ...jwkOf(publicKey), d }, format: 'jwk' }), publicKey };
}

/**
 * RFC 9180 in base mode for DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, written from the RFC on node:crypto,
 * so that opening is independent of the library that sealed.
 */
const KEM_ID = Buffer.from([0x00, 0x10]);
const SUITE_ID = Buffer.concat([Buffer.from('HPKE'), KEM_ID, Buffer.from([0x00, 0x01, 0x00, 0x02])]);
const KEM_SUITE_ID = Buffer.concat([Buffer.from('KEM'), KEM_ID]);
const NOTHING = Buffer.alloc(0);

const hmac = (key: Uint8Array, data: Uint8Array) => createHmac('sha256', key).update(data).digest();

/** RFC 5869 section 2.2, with the labels of RFC 9180 section 4. */
function labeledExtract(suiteId: Buffer, salt: Uint8Array, label: string, ikm: Uint8Array): Buffer {
  return hmac(salt, Buffer.concat([Buffer.from('HPKE-v1'), suiteId, Buffer.from(label), ikm]));
}

/** RFC 5869 section 2.3, with the labels of RFC 9180 section 4. */
function labeledExpand(suiteId: Buffer, prk: Uint8Array, label: string, info: Uint8Array, length: number): Buffer {
  const size = Buffer.from([length >> 8, length & 255]);
  const labeled = Buffer.concat([size, Buffer.from('HPKE-v1'), suiteId, Buffer.from(label), info]);
  let out = NOTHING as Buffer;
  let block = NOTHING as Buffer;
  for (let i = 1; out.length < length; i += 1) {
    block = hmac(prk, Buffer.concat([block, labeled, Buffer.from([i])]));
    out = Buffer.concat([out, block]);
  }
  return out.subarray(0, length);
}

export interface Sealed {
  /** Encapsulated key: an uncompressed point, 65 bytes. */
  readonly enc: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly info: Uint8Array;
  readonly aad?: Uint8Array;
  /** Number of the message in its context; 0 is the first. */
  readonly sequence?: number;
}

/** A P-256 pair: the private half, and the public one as an uncompressed point. */
export interface RecipientPair {
  readonly privateKey: KeyObject;
  readonly publicKey: Uint8Array;
}

/** @throws Error when the message does not open */
export function hpkeOpen(recipient: RecipientPair, sealed: Sealed): Buffer {
  // Section 4.1, Decap
  const dh = diffieHellman({ privateKey: recipient.privateKey, publicKey: p256PublicKey(sealed.enc) });
  const kemContext = Buffer.concat([sealed.enc, recipient.publicKey]);
  const eaePrk = labeledExtract(KEM_SUITE_ID, NOTHING, 'eae_prk', dh);
  const sharedSecret = labeledExpand(KEM_SUITE_ID, eaePrk, 'shared_secret', kemContext, 32);
  // Section 5.1, KeySchedule in mode base (0)
  const pskIdHash = labeledExtract(SUITE_ID, NOTHING, 'psk_id_hash', NOTHING);
  const infoHash = labeledExtract(SUITE_ID, NOTHING, 'info_hash', sealed.info);
  const context = Buffer.concat([Buffer.from([0]), pskIdHash, infoHash]);
  const secret = labeledExtract(SUITE_ID, sharedSecret, 'secret', NOTHING);
  const key = labeledExpand(SUITE_ID, secret, 'key', context, 32);
  const nonce = labeledExpand(SUITE_ID, secret, 'base_nonce', context, 12);
  // Section 5.2: the nonce of the nth message
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ (sealed.sequence ?? 0)) >>> 0, 8);
  const tagAt = sealed.ciphertext.length - 16;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  decipher.setAAD(sealed.aad ?? NOTHING);
  decipher.setAuthTag(sealed.ciphertext.subarray(tagAt));
  return Buffer.concat([decipher.update(sealed.ciphertext.subarray(0, tagAt)), decipher.final()]);
}
