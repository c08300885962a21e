import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFragment, settingNames, writeFragment } from './address.ts';

const token = `svce_${'a1B2'.repeat(12)}`;

describe('the frame’s address', () => {
  it('is the token alone in a guest link', () => {
    expect(writeFragment(token, {})).toBe(`#${token}`);
    expect(readFragment(`#${token}`)).toEqual({ token, settings: {} });
  });

  it('holds every setting as it was given', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    const anySettings = fc.record(Object.fromEntries(settingNames.map((name) => [name, text])), { requiredKeys: [] });
    fc.assert(
      fc.property(anySettings, (settings) => {
        expect(readFragment(writeFragment(token, settings))).toEqual({ token, settings });
      }),
    );
  });

  it('keeps every setting inside the fragment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (accent) => {
        const url = new URL(`https://widget.example/widget/${writeFragment(token, { accent })}`);
        expect(url.origin + url.pathname + url.search).toBe('https://widget.example/widget/');
      }),
    );
  });

  it('has no token if there is none', () => {
    for (const hash of ['', '#', '#&theme=dark', `#svcd_${'a'.repeat(49)}`, '#svce_', `#svce_a b`, '#svce_<img>']) {
      expect(readFragment(hash).token, hash).toBe(null);
    }
  });

  it('has known settings once, and leaves out unknown and overlong ones', () => {
    expect(readFragment(`#${token}&theme=dark&theme=light&colour=red&__proto__=x&font=${'a'.repeat(201)}`)).toEqual({
      token,
      settings: { theme: 'dark' },
    });
  });

  it('can be read from any text', () => {
    fc.assert(fc.property(fc.string(), (hash) => void readFragment(hash)));
  });
});
