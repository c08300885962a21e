import { ok } from 'node:assert/strict';
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
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
import { type AddedDevice, type SyncManifest, syncManifestSchema } from '@svc/protocol';
import type { BenchService } from './start-service.ts';

const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
const aead = createNodeAead();

/** A device that only syncs, with the SDK's checks of the answers. */
export interface BenchDevice {
  readonly deviceId: string;
  /** The bytes of a sync request, with a fresh nonce. */
  request(since: number): { readonly bytes: string; readonly nonce: string };
  /** Verifies an answer. @throws Error if it is invalid */
  verify(body: Uint8Array, nonce: string): Promise<{ readonly manifest: SyncManifest; readonly payload: Uint8Array }>;
  /** The people's templates in a whole answer. @throws Error if one is missing or does not open */
  openPeople(
    answer: { readonly manifest: SyncManifest; readonly payload: Uint8Array },
    personIds: readonly string[],
  ): Promise<Float32Array[]>;
}

export async function addDevice(service: BenchService, listId: string): Promise<BenchDevice> {
  const { id: deviceId, token } = await service.call<AddedDevice>('POST', `/v1/lists/${listId}/devices`, {});
  const pair = await suite.kem.generateKeyPair();
  const raw = Buffer.from(await suite.kem.serializePublicKey(pair.publicKey));
  const headers = `Host: bench\r\nAuthorization: Bearer ${token}\r\nSvc-Device-Key: ${raw.toString('base64url')}\r\nSvc-Nonce: `;
  const signingKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: service.signingKey }, format: 'jwk' });

  async function openListKey({ epochs }: SyncManifest): Promise<Uint8Array> {
    const [newest] = epochs;
    ok(newest, 'an answer without an epoch');
    const { enc, ciphertext } = newest.sealedListKey;
    const info = Uint8Array.from(listKeySealInfo({ listId, deviceId, epoch: newest.epoch })).buffer;
    const recipient = { recipientKey: pair, enc: Uint8Array.from(Buffer.from(enc, 'base64url')).buffer, info };
    return new Uint8Array(await suite.open(recipient, Uint8Array.from(Buffer.from(ciphertext, 'base64url')).buffer));
  }

  return {
    deviceId,
    request(since) {
      const nonce = randomBytes(16).toString('base64url');
      return { bytes: `GET /v1/device/sync?since=${since} HTTP/1.1\r\n${headers}${nonce}\r\n\r\n`, nonce };
    },
    async verify(body, nonce) {
      const envelope = parseEnvelope(body);
      const signed = envelopeSigningInput(envelope.payloadKind, envelope.manifest);
      ok(verify(null, signed, signingKey, envelope.signature), 'a wrong signature');
      const manifest = syncManifestSchema.parse(JSON.parse(Buffer.from(envelope.manifest).toString('utf8')));
      ok(manifest.nonce === nonce && manifest.deviceId === deviceId && manifest.listId === listId);
      ok(manifest.command === 'keep');
      ok(manifest.payloadSha256 === createHash('sha256').update(envelope.payload).digest('base64url'));
      ok((await openListKey(manifest)).length === 32);
      return { manifest, payload: envelope.payload };
    },
    async openPeople({ manifest, payload }, personIds) {
      const listKey = await openListKey(manifest);
      const [epoch] = parsePack(payload.slice()).epochs;
      ok(epoch, 'a pack without an epoch');
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
    },
  };
}
