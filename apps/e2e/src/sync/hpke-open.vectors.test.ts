import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import { describe, expect, it } from 'vitest';
import { hpkeOpen, p256Pair } from './hpke-open.ts';

/** RFC 9180: mode base, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. */
const SUITE = { mode: 0, kem_id: 0x0010, kdf_id: 0x0001, aead_id: 0x0002 } as const;

interface Vector extends Record<keyof typeof SUITE, number> {
  readonly info: string;
  readonly skRm: string;
  readonly pkRm: string;
  readonly enc: string;
  readonly encryptions: readonly { readonly aad: string; readonly ct: string; readonly pt: string }[];
}

const hex = (text: string) => Buffer.from(text, 'hex');

function readVectors(): Vector[] {
  const file = sharedData('data', 'vectors', 'hpke-rfc9180', 'vectors_rfc9180_5f503c5.json.gz');
  if (file === null) return [];
  const all = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as Vector[];
  return all.filter((vector) => Object.entries(SUITE).every(([k, v]) => vector[k as keyof typeof SUITE] === v));
}
const vectors = readVectors();

describe('HPKE written from the RFC', () => {
  it.skipIf(vectors.length === 0)(
    `opens the messages of the published vectors${vectors.length === 0 ? ' (skipped: no ../shared)' : ''}`,
    () => {
      let opened = 0;
      for (const { info, skRm, pkRm, enc, encryptions } of vectors) {
        const recipient = p256Pair(hex(skRm));
        expect(Buffer.from(recipient.publicKey).toString('hex')).toBe(pkRm);
        for (const [sequence, { aad, ct, pt }] of encryptions.entries()) {
          const sealed = { enc: hex(enc), ciphertext: hex(ct), info: hex(info), aad: hex(aad), sequence };
          expect(hpkeOpen(recipient, sealed).toString('hex')).toBe(pt);
          const broken = Buffer.from(hex(ct));
          broken[0] = (broken[0] ?? 0) ^ 1;
          expect(() => hpkeOpen(recipient, { ...sealed, ciphertext: broken })).toThrow();
          opened += 1;
        }
      }
      expect(opened).toBeGreaterThan(200);
    },
  );
});
