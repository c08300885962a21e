import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatSecret, isSecret, SECRET_CHARS, type SecretPrefix, secretPrefixes, secretPrefixOf } from './secrets.ts';

const random32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const prefix = fc.constantFrom<SecretPrefix>(...secretPrefixes);
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('secrets', () => {
  it('have a fixed length, the alphabet of base62 and a checksum that holds', () => {
    fc.assert(
      fc.property(prefix, random32, (kind, random) => {
        const secret = formatSecret(kind, random);
        expect(secret).toHaveLength(SECRET_CHARS);
        expect(secret).toMatch(/^svc[ktedsl]_[0-9A-Za-z]{49}$/);
        expect(isSecret(kind, secret)).toBe(true);
      }),
    );
  });

  it('refuse every typo of one character', () => {
    fc.assert(
      fc.property(
        random32,
        fc.integer({ min: 5, max: SECRET_CHARS - 1 }),
        fc.constantFrom(...BASE62),
        (random, at, char) => {
          const secret = formatSecret('svcd', random);
          fc.pre(secret[at] !== char);
          expect(isSecret('svcd', secret.slice(0, at) + char + secret.slice(at + 1))).toBe(false);
        },
      ),
    );
  });

  it('refuse another prefix in front of the same characters', () => {
    fc.assert(
      fc.property(random32, (random) => {
        const secret = formatSecret('svcd', random);
        expect(isSecret('svck', secret)).toBe(false);
        expect(isSecret('svck', secret.replace('svcd', 'svck'))).toBe(false);
      }),
    );
  });

  it('tell their kind by the prefix', () => {
    expect(secretPrefixOf('svcd_x')).toBe('svcd');
    expect(secretPrefixOf('svcdx')).toBeNull();
    expect(secretPrefixOf('')).toBeNull();
  });

  it('need 32 bytes', () => {
    expect(() => formatSecret('svck', new Uint8Array(31))).toThrow(RangeError);
  });
});
