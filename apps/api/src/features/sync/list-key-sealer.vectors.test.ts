import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { listKeySealInfo } from '@svc/core/pack';
import { describe, expect, it } from 'vitest';
import { listKeySuite, sealSecret } from './sealed-keys.ts';

/** RFC 9180: mode base, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. */
const SUITE = { mode: 0, kem_id: 0x0010, kdf_id: 0x0001, aead_id: 0x0002 } as const;

interface Vector extends Record<keyof typeof SUITE, number> {
  readonly info: string;
  readonly ikmR: string;
  readonly ikmE: string;
  readonly skRm: string;
  readonly pkRm: string;
  readonly enc: string;
  readonly encryptions: readonly { readonly aad: string; readonly ct: string; readonly pt: string }[];
}

const folder = new URL('../../../../../../shared/data/vectors/hpke-rfc9180/', import.meta.url);
const file = new URL('vectors_rfc9180_5f503c5.json.gz', folder);
const vectors: Vector[] = existsSync(file)
  ? (JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as Vector[]).filter((vector) =>
      Object.entries(SUITE).every(([field, value]) => vector[field as keyof typeof SUITE] === value),
    )
  : [];

const bytes = (hex: string): ArrayBuffer => Uint8Array.from(Buffer.from(hex, 'hex')).buffer;
const hex = (buffer: ArrayBufferLike): string => Buffer.from(new Uint8Array(buffer)).toString('hex');

describe('HPKE as list keys are sealed', () => {
  it('has the identifiers of the suite', () => {
    expect([listKeySuite.kem.id, listKeySuite.kdf.id, listKeySuite.aead.id]).toEqual([0x0010, 0x0001, 0x0002]);
  });

  it.skipIf(vectors.length === 0)(
    `reproduces the vectors of RFC 9180${vectors.length === 0 ? ' (skipped: no ../shared)' : ''}`,
    async () => {
      for (const vector of vectors) {
        const recipient = await listKeySuite.kem.deriveKeyPair(bytes(vector.ikmR));
        expect(hex(await listKeySuite.kem.serializePublicKey(recipient.publicKey))).toBe(vector.pkRm);
        const sender = await listKeySuite.createSenderContext({
          recipientPublicKey: recipient.publicKey,
          info: bytes(vector.info),
          ekm: bytes(vector.ikmE),
        });
        expect(hex(sender.enc)).toBe(vector.enc);
        for (const { aad, ct, pt } of vector.encryptions.slice(0, 8)) {
          expect(hex(await sender.seal(bytes(pt), bytes(aad)))).toBe(ct);
        }
      }
    },
  );

  it('seals to one device, one list and one epoch', async () => {
    const device = await listKeySuite.kem.generateKeyPair();
    const raw = new Uint8Array(await listKeySuite.kem.serializePublicKey(device.publicKey));
    const context = { listId: 'lst_a', deviceId: 'dev_a', epoch: 1 };
    const listKey = new Uint8Array(32).fill(9);
    const sealed = await sealSecret(raw, listKeySealInfo(context), listKey);
    expect(listKey).toEqual(new Uint8Array(32).fill(9));

    const fromBase64Url = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url')).buffer;
    const open = (recipientKey: typeof device, of: typeof context) =>
      listKeySuite.open(
        {
          recipientKey,
          enc: fromBase64Url(sealed.enc),
          info: Uint8Array.from(listKeySealInfo(of)).buffer,
        },
        fromBase64Url(sealed.ciphertext),
      );
    expect(new Uint8Array(await open(device, context))).toEqual(listKey);
    await expect(open(device, { ...context, epoch: 2 })).rejects.toThrow();
    await expect(open(device, { ...context, listId: 'lst_b' })).rejects.toThrow();
    await expect(open(device, { ...context, deviceId: 'dev_b' })).rejects.toThrow();
    await expect(open(await listKeySuite.kem.generateKeyPair(), context)).rejects.toThrow();
  });
});
