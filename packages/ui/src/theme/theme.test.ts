import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accentShades, contrast, parseHex, toHex } from './accent.ts';
import { readAppearance, tokensOf } from './appearance.ts';

const css = readFileSync(new URL('../styles/tokens.css', import.meta.url), 'utf8');
const tones = ['good', 'other', 'staff', 'bad'].map((tone) => `${tone}-ground`);
const grounds = ['ground', 'surface', 'sunken', ...tones].map((name) => {
  const [, light = '', dark = ''] =
    new RegExp(`--svc-${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css) ?? [];
  return { light: parseHex(light), dark: parseHex(dark) };
});
const colour = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((channels) => toHex(channels))
  .filter((hex) => hex.length === 7);

describe('an accent', () => {
  it('is readable on every background, and as a background of text, for any colour', () => {
    fc.assert(
      fc.property(colour, (hex) => {
        const shades = accentShades(hex);
        for (const theme of ['light', 'dark'] as const) {
          const { accent, accentStrong, onAccent, focus } = shades[theme];
          for (const ground of grounds) {
            expect(contrast(parseHex(accent), ground[theme])).toBeGreaterThanOrEqual(4.5);
            expect(contrast(parseHex(focus), ground[theme])).toBeGreaterThanOrEqual(3);
          }
          expect(contrast(parseHex(onAccent), parseHex(accent))).toBeGreaterThanOrEqual(4.5);
          expect(contrast(parseHex(onAccent), parseHex(accentStrong))).toBeGreaterThanOrEqual(4.5);
        }
      }),
      { numRuns: 500, examples: [['#ffffff'], ['#000000'], ['#ffe600'], ['#808080'], ['#0000ff']] },
    );
  });

  it('that is readable is kept', () => {
    expect(accentShades('#6b21a8').light.accent).toBe('#6b21a8');
    expect(accentShades('#ffd54a').dark.accent).toBe('#ffd54a');
  });
});

describe('an appearance', () => {
  it('is parsed from texts', () => {
    const values = {
      theme: 'dark',
      accent: '#6B21A8',
      radius: '12px',
      font: "'Inter', Arial, serif",
      language: 'de-AT',
    };
    expect(readAppearance(values)).toEqual({
      theme: 'dark',
      accent: '#6b21a8',
      radiusPx: 12,
      font: '"Inter", "Arial", serif',
      language: 'de-AT',
    });
    expect(readAppearance({ accent: 'f0a', radius: 400 })).toMatchObject({ accent: '#ff00aa', radiusPx: 32 });
  });

  it.each([
    {},
    { theme: 'sepia', accent: 'red', radius: '-1', font: 'url(https://example.org/x)', language: 'not a language' },
    { theme: 1, accent: {}, radius: null, font: ['Arial'], language: 5 },
    { accent: '#12345', radius: '1em', font: '"; } body { display: none', language: '' },
  ])('that is none is as if nothing had been said: %j', (values) => {
    const appearance = readAppearance(values);
    expect(appearance).toEqual({ theme: 'system', accent: null, radiusPx: null, font: null, language: null });
    expect(tokensOf(appearance).size).toBe(0);
  });

  it('changes existing tokens only', () => {
    const tokens = tokensOf(readAppearance({ accent: '#ffe600', radius: 4, font: 'Arial' }));
    for (const name of tokens.keys()) expect(css).toContain(`${name}:`);
    expect(tokens.get('--svc-font')).toBe('"Arial", system-ui, sans-serif');
    expect(tokens.size).toBe(7);
  });
});
