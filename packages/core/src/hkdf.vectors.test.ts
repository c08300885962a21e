import { describe, expect, it } from 'vitest';
import { hkdfSha256, hmacSha256 } from './hkdf.ts';
import { readSharedData } from './testing/shared-data.ts';

interface Suite<T> {
  readonly testGroups: readonly {
    readonly tagSize?: number;
    readonly tests: readonly (T & { tcId: number; result: string })[];
  }[];
}
const folder = 'vectors/wycheproof/testvectors_v1';
const hkdfText = readSharedData(`${folder}/hkdf_sha256_test.json`);
const hmacText = readSharedData(`${folder}/hmac_sha256_test.json`);
if (hkdfText === null || hmacText === null) process.stdout.write('Wycheproof HKDF and HMAC skipped: no ../shared\n');

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('HKDF-SHA-256', () => {
  it('RFC 5869 A.1', () => {
    const [salt, info] = [hex('000102030405060708090a0b0c'), hex('f0f1f2f3f4f5f6f7f8f9')];
    expect(toHex(hkdfSha256(new Uint8Array(22).fill(0x0b), salt, info, 42))).toBe(
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    );
  });

  it.skipIf(hkdfText === null)('Wycheproof, all cases', () => {
    type Case = { ikm: string; salt: string; info: string; size: number; okm: string };
    const suite = JSON.parse(hkdfText ?? '{}') as Suite<Case>;
    let cases = 0;
    for (const test of suite.testGroups.flatMap((group) => group.tests)) {
      const derive = () => toHex(hkdfSha256(hex(test.ikm), hex(test.salt), hex(test.info), test.size));
      if (test.result === 'invalid') expect(derive, `case ${test.tcId}`).toThrow();
      else expect(derive(), `case ${test.tcId}`).toBe(test.okm);
      cases++;
    }
    expect(cases).toBe(86);
  });
});

describe('HMAC-SHA-256', () => {
  it('RFC 4231 case 2', () => {
    const mac = hmacSha256(Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?'));
    expect(toHex(mac)).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
  });

  it.skipIf(hmacText === null)('Wycheproof, all cases', () => {
    const suite = JSON.parse(hmacText ?? '{}') as Suite<{ key: string; msg: string; tag: string }>;
    let cases = 0;
    for (const group of suite.testGroups) {
      for (const test of group.tests) {
        const tag = toHex(hmacSha256(hex(test.key), hex(test.msg))).slice(0, (group.tagSize ?? 0) / 4);
        expect(tag === test.tag, `case ${test.tcId}`).toBe(test.result === 'valid');
        cases++;
      }
    }
    expect(cases).toBe(174);
  });
});
