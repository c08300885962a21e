import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { checkPinned, readPin } from '../../../scripts/lib/pinned-package.mjs';

describe('the package manager that setup fetches', () => {
  it('is pinned by its content', () => {
    expect(readPin(manifest.packageManager)).toMatchObject({
      name: 'pnpm',
      sha512: expect.stringMatching(/^[0-9a-f]{128}$/),
    });
  });

  it.each(['pnpm@10.34.8', 'pnpm@latest+sha512.00', `pnpm@10.34.8+sha1.${'0'.repeat(128)}`])(
    'is refused as %s',
    (text) => {
      expect(() => readPin(text)).toThrow(/SHA-512/);
    },
  );

  it('is refused with a bit that is another one', () => {
    const tarball = Buffer.from('a tarball');
    const pin = { name: 'pnpm', version: '1.0.0', sha512: createHash('sha512').update(tarball).digest('hex') };
    checkPinned(tarball, pin);
    tarball[3] = (tarball[3] ?? 0) ^ 1;
    expect(() => checkPinned(tarball, pin)).toThrow(/another content/);
  });
});
