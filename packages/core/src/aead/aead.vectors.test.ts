import { beforeAll, describe, expect, it } from 'vitest';
import { aeads, codeOf } from '../testing/aeads.ts';
import { patternBytes } from '../testing/patterns.ts';
import { createNodeAead } from '../testing/peers.ts';
import { readSharedData } from '../testing/shared-data.ts';
import type { SyncAead } from './aead.ts';

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

/** Lengths of message and additional data at both sides of every boundary in the core's implementation. */
const boundaries = [
  0, 1, 15, 16, 17, 31, 32, 95, 96, 97, 127, 128, 223, 224, 225, 320, 991, 992, 993, 2015, 2016, 2017, 4096, 100_001,
].map((length, i) => [length, i % 3 === 0 ? 0 : (i % 3) * 20] as const);
const ofAad = [1, 15, 16, 17, 127, 128, 129, 5000].map((aadLength) => [100, aadLength] as const);

const wycheproofText = readSharedData('vectors/wycheproof/testvectors_v1/aes_gcm_test.json');
const wycheproof = wycheproofText === null ? null : (JSON.parse(wycheproofText) as Wycheproof);
if (wycheproof === null) process.stdout.write('Wycheproof AES-GCM skipped: no ../shared\n');

describe.each(aeads)('%s', (_name, create) => {
  let aead: SyncAead;
  beforeAll(async () => {
    aead = await create();
  });

  it('seals and opens as OpenSSL does, at every boundary of the core', () => {
    const openssl = createNodeAead();
    for (const [length, aadLength] of [...boundaries, ...ofAad]) {
      const [key, nonce] = [patternBytes(`key ${length}`, 32), patternBytes(`nonce ${length}`, 12)];
      const [aad, plaintext] = [patternBytes('aad', aadLength), patternBytes('plaintext', length)];
      const expected = openssl.sealSync(key, nonce, plaintext, aad);
      const name = `${length} bytes, aad ${aadLength}`;
      expect(Buffer.compare(aead.sealSync(key, nonce, plaintext, aad), expected), name).toBe(0);
      expect(Buffer.compare(aead.openSync(key, nonce, expected, aad), plaintext), name).toBe(0);
    }
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
