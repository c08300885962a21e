import { ok } from 'node:assert/strict';
import { createECDH, createHash, createPublicKey, type ECDH, randomBytes, verify } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import {
  deriveLookupKey,
  envelopeSigningInput,
  listKeySealInfo,
  lookupTag,
  openCheckRecord,
  openRecord,
  parseEnvelope,
  parsePack,
} from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import { type SyncManifest, syncManifestSchema } from '@svc/protocol';

const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
const aead = createNodeAead();

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url');
const fromBase64url = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text, 'base64url')).buffer;

export const newNonce = (): string => randomBytes(16).toString('base64url');

export function newDeviceKey(): ECDH {
  const key = createECDH('prime256v1');
  key.generateKeys();
  return key;
}

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
  readonly payload: Uint8Array;
}

/** A device that only syncs, with the checks of docs/internals/sync.md. */
export class SyncDevice {
  readonly key = newDeviceKey();

  /** @param service where it syncs, and the region's signing key that it pins: raw Ed25519, base64url */
  constructor(
    readonly service: { readonly url: string; readonly signingKey: string },
    readonly token: string,
  ) {}

  headers(nonce: string, key = this.key) {
    return {
      Authorization: `Bearer ${this.token}`,
      'Svc-Device-Key': key.getPublicKey('base64url', 'uncompressed'),
      'Svc-Nonce': nonce,
    };
  }

  /** @param o.key another device's */
  async ask(o: { readonly since?: number; readonly key?: ECDH; readonly nonce?: string } = {}): Promise<SyncResponse> {
    const query = o.since === undefined ? '' : `?since=${o.since}`;
    const headers = this.headers(o.nonce ?? newNonce(), o.key);
    const response = await fetch(`${this.service.url}/v1/device/sync${query}`, { headers });
    const body = Buffer.from(await response.arrayBuffer());
    const isProblem = response.headers.get('content-type') === 'application/problem+json; charset=utf-8';
    const code = isProblem && body.length > 0 ? String(JSON.parse(body.toString('utf8')).code) : null;
    return { status: response.status, headers: response.headers, body, code };
  }

  /** Asks, and verifies the answer. @throws Error if it is not 200, or a check fails */
  async sync(o: { readonly since?: number } = {}): Promise<VerifiedAnswer> {
    const nonce = newNonce();
    const { status, code, body } = await this.ask({ ...o, nonce });
    if (status !== 200) throw new Error(`sync answered ${status} ${code}`);
    return this.verify(body, nonce);
  }

  /** Verifies an answer, and opens the newest list key. @throws Error if a check fails */
  async verify(body: Uint8Array, nonce: string): Promise<VerifiedAnswer> {
    const { payloadKind, manifest: signed, signature, payload } = parseEnvelope(body);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: this.service.signingKey }, format: 'jwk' });
    ok(verify(null, envelopeSigningInput(payloadKind, signed), key, signature), 'a wrong signature');
    const manifest = syncManifestSchema.parse(JSON.parse(Buffer.from(signed).toString('utf8')));
    ok(manifest.nonce === nonce, 'another nonce');
    ok(manifest.deviceKeyThumbprint === sha256(this.key.getPublicKey()), 'another key');
    ok(manifest.payloadSha256 === sha256(payload), 'another payload');
    const answer = { manifest, payloadKind, payload };
    if (manifest.epochs.length > 0) ok((await this.openListKey(answer)).length === 32);
    return answer;
  }

  /** The list key of an epoch, by default of the newest. @throws Error when it does not open */
  async openListKey({ manifest }: VerifiedAnswer, number = manifest.epochs[0]?.epoch): Promise<Uint8Array> {
    const epoch = manifest.epochs.find((one) => one.epoch === number);
    ok(epoch, 'no such epoch');
    const { listId, deviceId } = manifest;
    const secret = this.key.getPrivateKey('hex').padStart(64, '0');
    const recipientKey = await suite.kem.importKey('raw', Uint8Array.from(Buffer.from(secret, 'hex')).buffer, false);
    const info = Uint8Array.from(listKeySealInfo({ listId, deviceId, epoch: epoch.epoch })).buffer;
    const recipient = { recipientKey, enc: fromBase64url(epoch.sealedListKey.enc), info };
    return new Uint8Array(await suite.open(recipient, fromBase64url(epoch.sealedListKey.ciphertext)));
  }

  /** The people's templates in a whole answer. @throws Error if one is missing or does not open */
  async openPeople(answer: VerifiedAnswer, personIds: readonly string[]): Promise<Float32Array[]> {
    const listKey = await this.openListKey(answer);
    const [epoch] = parsePack(answer.payload.slice()).epochs;
    ok(epoch, 'a pack without an epoch');
    const { listId } = answer.manifest;
    const context = { listKey, listId, epoch: epoch.epoch, engineId: epoch.engineId, dimension: epoch.dimension };
    await openCheckRecord(aead, { ...context, record: epoch.checkRecord });
    const lookupKey = deriveLookupKey(listKey);
    return Promise.all(
      personIds.map((personId) => {
        const record = epoch.find(lookupTag(lookupKey, personId));
        ok(record, 'somebody who was enrolled is not in the pack');
        return openRecord(aead, { ...context, personId, record });
      }),
    );
  }
}
