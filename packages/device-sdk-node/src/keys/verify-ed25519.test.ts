import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyEd25519 } from './verify-ed25519.ts';

const pair = generateKeyPairSync('ed25519');
const publicKey = new Uint8Array(Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
const message = new TextEncoder().encode('what was signed');
const signature = new Uint8Array(sign(null, message, pair.privateKey));
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The same signature with S plus the group order, which RFC 8032, section 5.1.7 forbids. */
function malleable(): Uint8Array {
  let s = signature.subarray(32).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) + ORDER;
  const bent = Uint8Array.from(signature);
  for (let at = 32; at < 64; at += 1, s >>= 8n) bent[at] = Number(s & 0xffn);
  return bent;
}

describe('the check of a signature by node:crypto', () => {
  it('accepts a signature, also over an empty message', () => {
    expect(verifyEd25519(signature, message, publicKey)).toBe(true);
    const empty = new Uint8Array();
    expect(verifyEd25519(sign(null, empty, pair.privateKey), empty, publicKey)).toBe(true);
  });

  it('refuses what is too short, too long, and the second name of a signature', () => {
    for (const bent of [new Uint8Array(), signature.subarray(1), Uint8Array.of(...signature, 0), malleable()]) {
      expect(isTaken(bent, message, publicKey)).toBe(false);
    }
    expect(isTaken(signature, message, publicKey.subarray(1))).toBe(false);
  });
});

function isTaken(...parts: [Uint8Array, Uint8Array, Uint8Array]): boolean {
  try {
    return verifyEd25519(...parts);
  } catch {
    return false;
  }
}
