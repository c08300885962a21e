import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { type SyncManifest, syncManifestSchema } from '@svc/protocol';
import { hpkeOpen, p256Pair, type RecipientPair } from './hpke-open.ts';
import type { TestService } from './service.ts';

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
  readonly since?: number | string;
  readonly pair?: RecipientPair;
  readonly nonce?: string;
  /** Replaces a header, or with null removes it. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly method?: string;
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
    readonly service: Pick<TestService, 'url' | 'signingKey' | 'keyId'>,
    readonly token: string,
  ) {}

  async ask(o: SyncOptions = {}): Promise<SyncResponse> {
    const headers = new Headers({
      Authorization: `Bearer ${this.token}`,
      'Svc-Device-Key': base64url((o.pair ?? this.pair).publicKey),
      'Svc-Nonce': o.nonce ?? base64url(randomBytes(16)),
    });
    for (const [name, value] of Object.entries(o.headers ?? {})) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    const query = o.since === undefined ? '' : `?since=${o.since}`;
    const response = await fetch(`${this.service.url}/v1/device/sync${query}`, { method: o.method ?? 'GET', headers });
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
    return hpkeOpen(pair, {
      enc: Buffer.from(epoch.sealedListKey.enc, 'base64url'),
      ciphertext: Buffer.from(epoch.sealedListKey.ciphertext, 'base64url'),
      info: Buffer.concat(fields.map(field)),
    });
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
    if (keyId !== this.service.keyId) throw new Error('another signing key');
    const signed = Buffer.concat([Buffer.from('svc/sync/v1\0'), Buffer.from([payloadKind]), manifestBytes]);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: this.service.signingKey }, format: 'jwk' });
    if (!verify(null, signed, key, signature)) throw new Error('a wrong signature');
    const manifest = syncManifestSchema.parse(JSON.parse(manifestBytes.toString('utf8')));
    return { manifest, payloadKind, payload };
  }
}
