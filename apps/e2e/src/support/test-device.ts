import {
  createDecipheriv,
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
  randomBytes,
  verify,
} from 'node:crypto';
import { type SyncManifest, syncManifestSchema } from '@svc/protocol';

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

/** A P-256 pair: the private half, and the public one as an uncompressed point. */
export interface RecipientPair {
  readonly privateKey: KeyObject;
  readonly publicKey: Uint8Array;
}

export function p256Pair(): RecipientPair {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys();
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

/** RFC 5869 section 2.3, with the labels of RFC 9180 section 4. @param length at most that of the hash */
function labeledExpand(suiteId: Buffer, prk: Uint8Array, label: string, info: Uint8Array, length: number): Buffer {
  const size = Buffer.from([length >> 8, length & 255]);
  const labeled = [size, Buffer.from('HPKE-v1'), suiteId, Buffer.from(label), info, Buffer.from([1])];
  return hmac(prk, Buffer.concat(labeled)).subarray(0, length);
}

/** Opens the first message of a context. @throws Error when it does not open */
function hpkeOpen(recipient: RecipientPair, enc: Uint8Array, ciphertext: Uint8Array, info: Uint8Array): Buffer {
  // Section 4.1, Decap
  const publicKey = createPublicKey({ key: jwkOf(enc), format: 'jwk' });
  const dh = diffieHellman({ privateKey: recipient.privateKey, publicKey });
  const eaePrk = labeledExtract(KEM_SUITE_ID, NOTHING, 'eae_prk', dh);
  const kemContext = Buffer.concat([enc, recipient.publicKey]);
  const sharedSecret = labeledExpand(KEM_SUITE_ID, eaePrk, 'shared_secret', kemContext, 32);
  // Section 5.1, KeySchedule in mode base (0)
  const pskIdHash = labeledExtract(SUITE_ID, NOTHING, 'psk_id_hash', NOTHING);
  const context = Buffer.concat([Buffer.from([0]), pskIdHash, labeledExtract(SUITE_ID, NOTHING, 'info_hash', info)]);
  const secret = labeledExtract(SUITE_ID, sharedSecret, 'secret', NOTHING);
  const key = labeledExpand(SUITE_ID, secret, 'key', context, 32);
  const nonce = labeledExpand(SUITE_ID, secret, 'base_nonce', context, 12);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  decipher.setAuthTag(ciphertext.subarray(-16));
  return Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]);
}

/** Where a device syncs, and what it pins: that of an API, or named. */
export type DeviceService = { readonly url: string } & (
  | { readonly signingKey: string; readonly keyId: string }
  | { readonly admin: { region(): { readonly signingKey: string; readonly keyId: string } } }
);

/** The answer to a sync. */
export interface SyncResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** The code of a problem; null for a 200. */
  readonly code: string | null;
}

/** An answer whose signature, addressee, nonce and payload hash were verified. */
export interface VerifiedAnswer {
  readonly manifest: SyncManifest;
  readonly payloadKind: number;
  readonly payload: Buffer;
}

export interface SyncOptions {
  readonly since?: number;
  readonly pair?: RecipientPair;
  readonly nonce?: string;
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url');

/**
 * A device written from docs/sync.md on node:crypto only: it reads the envelope by its offsets, and shares only the
 * manifest's schema with the service.
 */
export class TestDevice {
  readonly pair = p256Pair();

  constructor(
    readonly service: DeviceService,
    readonly token: string,
  ) {}

  async ask(o: SyncOptions = {}): Promise<SyncResponse> {
    const headers = {
      Authorization: `Bearer ${this.token}`,
      'Svc-Device-Key': base64url((o.pair ?? this.pair).publicKey),
      'Svc-Nonce': o.nonce ?? base64url(randomBytes(16)),
    };
    const query = o.since === undefined ? '' : `?since=${o.since}`;
    const response = await fetch(`${this.service.url}/v1/device/sync${query}`, { headers });
    const body = Buffer.from(await response.arrayBuffer());
    const isProblem = response.headers.get('content-type') === 'application/problem+json; charset=utf-8';
    const code = isProblem && body.length > 0 ? String(JSON.parse(body.toString('utf8')).code) : null;
    return { status: response.status, headers: response.headers, body, code };
  }

  /** Asks, and verifies the answer as docs/sync.md says. @throws Error if a check fails */
  async sync(o: Omit<SyncOptions, 'nonce'> = {}): Promise<VerifiedAnswer> {
    const nonce = base64url(randomBytes(16));
    const { status, code, body } = await this.ask({ ...o, nonce });
    if (status !== 200) throw new Error(`sync answered ${status} ${code}`);
    const answer = this.#open(body);
    const { manifest, payload } = answer;
    if (manifest.nonce !== nonce) throw new Error('another nonce');
    if (manifest.deviceKeyThumbprint !== sha256((o.pair ?? this.pair).publicKey)) throw new Error('another key');
    if (manifest.payloadSha256 !== sha256(payload)) throw new Error('another payload');
    return answer;
  }

  /** The list key of an epoch. @throws Error when it does not open */
  openListKey({ manifest }: VerifiedAnswer, epochNumber = manifest.epochs[0]?.epoch, pair = this.pair): Buffer {
    const epoch = manifest.epochs.find((one) => one.epoch === epochNumber);
    if (epoch === undefined) throw new Error('no such epoch');
    const field = (bytes: Buffer) => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(epoch.epoch);
    const label = Buffer.from('svc/list-key/v1');
    const fields = [label, Buffer.from(manifest.listId), Buffer.from(manifest.deviceId), number];
    const [enc, ciphertext] = [epoch.sealedListKey.enc, epoch.sealedListKey.ciphertext].map((text) =>
      Buffer.from(text, 'base64url'),
    ) as [Buffer, Buffer];
    return hpkeOpen(pair, enc, ciphertext, Buffer.concat(fields.map(field)));
  }

  #open(body: Buffer): VerifiedAnswer {
    if (body.subarray(0, 8).toString('latin1') !== 'SVCSYNC1') throw new Error('no envelope');
    const payloadKind = body.readUInt8(8);
    const manifestLength = body.readUInt32BE(9);
    const manifestBytes = body.subarray(13, 13 + manifestLength);
    const keyIdLength = body.readUInt8(13 + manifestLength);
    const keyIdAt = 14 + manifestLength;
    const keyId = body.subarray(keyIdAt, keyIdAt + keyIdLength).toString('latin1');
    const signature = body.subarray(keyIdAt + keyIdLength, keyIdAt + keyIdLength + 64);
    const payload = body.subarray(keyIdAt + keyIdLength + 64);
    const pinned = 'admin' in this.service ? this.service.admin.region() : this.service;
    if (keyId !== pinned.keyId) throw new Error('another signing key');
    const signed = Buffer.concat([Buffer.from('svc/sync/v1\0'), Buffer.from([payloadKind]), manifestBytes]);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: pinned.signingKey }, format: 'jwk' });
    if (!verify(null, signed, key, signature)) throw new Error('a wrong signature');
    const manifest = syncManifestSchema.parse(JSON.parse(manifestBytes.toString('utf8')));
    return { manifest, payloadKind, payload };
  }
}
