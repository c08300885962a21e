import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { envelopeSigningInput, parseEnvelope } from '@svc/core/pack';
import { LEASE_MS, syncManifestSchema, wipeReasons } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { keepManifest, type SyncRequest, signAnswer, wipeManifest } from './answer.ts';

const pair = generateKeyPairSync('ed25519');
const key = {
  keyId: '0123456789abcdef',
  publicKey: '',
  sign: (message: Uint8Array) => new Uint8Array(sign(null, message, pair.privateKey)),
};
const to = { listId: 'lst_01jwnafy00e2rbg3vfk4s6q9tz', deviceId: 'dev_01jwnafy00e2rbg3vfk4s6q9tz' };
const request: SyncRequest = {
  deviceKey: { raw: Buffer.alloc(65), thumbprint: Buffer.alloc(32, 7) },
  nonce: 'A'.repeat(22),
  since: 4,
  counter: 6,
  software: { sdkVersion: null, engineIds: [] },
};
const NOW = Date.parse('2026-06-01T09:30:00.000Z');
const content = {
  fromVersion: 0,
  toVersion: 9,
  recordCount: 1,
  stateHash: 'A'.repeat(43),
  payloadSha256: createHash('sha256').update('pack').digest('base64url'),
  retentionDeadline: null,
  enrollmentClosed: false,
  headTurnAlternative: 'none' as const,
  names: { event: null, list: 'Members', device: 'Door' },
  reEntry: 'off' as const,
  checkIn: undefined,
  signingKeys: ['A'.repeat(43)],
  syncCounter: 7,
  epochs: [
    {
      epoch: 1,
      engineId: 'engine/1',
      dimension: 128,
      matchThreshold: 0.9,
      sealedListKey: { enc: 'A'.repeat(87), ciphertext: 'A'.repeat(64) },
    },
  ],
};

describe('answer', () => {
  it('is an envelope signed with the region’s key', () => {
    const payload = Buffer.from('pack');
    const { envelopeHead, payload: tail } = signAnswer(key, keepManifest(to, request, NOW, content), 1, [payload]);
    const envelope = parseEnvelope(Buffer.concat([envelopeHead, ...tail]));
    const message = envelopeSigningInput(1, envelope.manifest);
    expect(verify(null, message, createPublicKey(pair.privateKey), envelope.signature)).toBe(true);
    expect(verify(null, envelopeSigningInput(0, envelope.manifest), pair.publicKey, envelope.signature)).toBe(false);
    expect(Buffer.from(envelope.payload)).toEqual(payload);
    const manifest = syncManifestSchema.parse(JSON.parse(Buffer.from(envelope.manifest).toString('utf8')));
    expect(manifest).toMatchObject({ command: 'keep', nonce: request.nonce, toVersion: 9 });
    expect(Date.parse(manifest.leaseExpiresAt) - Date.parse(manifest.issuedAt)).toBe(LEASE_MS);
  });

  it.each(wipeReasons)('wipes for %s without a key, a record or a list’s state', (reason) => {
    const manifest = syncManifestSchema.parse(wipeManifest(to, request, NOW, reason));
    expect(manifest).toMatchObject({ command: 'wipe', reason, epochs: [], recordCount: 0, stateHash: '' });
    expect(manifest.payloadSha256).toBe(createHash('sha256').digest('base64url'));
  });
});
