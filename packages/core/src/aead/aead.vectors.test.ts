import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { aeads, codeOf } from '../testing/aeads.ts';
import { patternBytes } from '../testing/patterns.ts';
import { readSharedData } from '../testing/shared-data.ts';
import type { Aead } from './aead.ts';

interface OwnVectors {
  readonly vectors: readonly {
    readonly label: string;
    readonly length: number;
    readonly aadLength: number;
    readonly tag: string;
    readonly sealedSha256: string;
  }[];
}

interface Wycheproof {
  readonly testGroups: readonly {
    readonly keySize: number;
    readonly ivSize: number;
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly key: string;
      readonly iv: string;
      readonly aad: string;
      readonly msg: string;
      readonly ct: string;
      readonly tag: string;
      readonly result: 'valid' | 'invalid' | 'acceptable';
    }[];
  }[];
}

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const own = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@svc/wasm/vectors/aes-256-gcm.json'), 'utf8'),
) as OwnVectors;

const wycheproofText = readSharedData('vectors/wycheproof/testvectors_v1/aes_gcm_test.json');
const wycheproof = wycheproofText === null ? null : (JSON.parse(wycheproofText) as Wycheproof);
if (wycheproof === null) process.stdout.write('Wycheproof AES-GCM skipped: no ../shared\n');

describe.each(aeads)('%s', (_name, create) => {
  let aead: Aead;
  beforeAll(async () => {
    aead = await create();
  });

  it.each(own.vectors)('own vector $label: $length bytes, aad $aadLength', async (vector) => {
    const key = patternBytes(`${vector.label}/key`, 32);
    const nonce = patternBytes(`${vector.label}/nonce`, 12);
    const aad = patternBytes(`${vector.label}/aad`, vector.aadLength);
    const plaintext = patternBytes(`${vector.label}/plaintext`, vector.length);
    const sealed = await aead.seal(key, nonce, plaintext, aad);
    expect(toHex(sealed.subarray(vector.length))).toBe(vector.tag);
    expect(createHash('sha256').update(sealed).digest('hex')).toBe(vector.sealedSha256);
    expect(Buffer.compare(await aead.open(key, nonce, sealed, aad), plaintext)).toBe(0);
  });

  it.skipIf(wycheproof === null)('Wycheproof: every case with a 256-bit key and a 96-bit nonce', async () => {
    const groups = (wycheproof?.testGroups ?? []).filter((group) => group.keySize === 256 && group.ivSize === 96);
    const seen = { valid: 0, invalid: 0 };
    for (const test of groups.flatMap((group) => group.tests)) {
      const [key, nonce, aad] = [hex(test.key), hex(test.iv), hex(test.aad)];
      const sealed = hex(test.ct + test.tag);
      const name = `case ${test.tcId} ${test.comment}`;
      if (test.result === 'invalid') {
        expect(await codeOf(aead.open(key, nonce, sealed, aad)), name).toBe('open-failed');
        seen.invalid++;
      } else {
        expect(toHex(await aead.seal(key, nonce, hex(test.msg), aad)), name).toBe(toHex(sealed));
        expect(toHex(await aead.open(key, nonce, sealed, aad)), name).toBe(test.msg);
        seen.valid++;
      }
    }
    expect(seen).toEqual({ valid: 39, invalid: 27 });
  });

  it.skipIf(wycheproof === null)('Wycheproof: every other nonce length is refused', async () => {
    const groups = (wycheproof?.testGroups ?? []).filter((group) => group.keySize === 256 && group.ivSize !== 96);
    for (const test of groups.flatMap((group) => group.tests)) {
      const opening = aead.open(hex(test.key), hex(test.iv), hex(test.ct + test.tag), hex(test.aad));
      expect(await codeOf(opening), `case ${test.tcId}`).toBe('invalid-argument');
    }
  });
});
