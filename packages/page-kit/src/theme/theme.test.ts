import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accentShades, contrast, parseHex, toHex } from './accent.ts';
import { appearanceOver, readAppearance, tokensOf } from './appearance.ts';

const css = readFileSync(new URL('../styles/tokens.css', import.meta.url), 'utf8');
const tones = ['good', 'other', 'bad'].map((tone) => `${tone}-ground`);
const grounds = ['ground', 'surface', 'sunken', ...tones].map((name) => {
  const [, light = '', dark = ''] =
    new RegExp(`--svc-${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css) ?? [];
  return { light: parseHex(light), dark: parseHex(dark) };
});
const colour = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((channels) => toHex(channels))
  .filter((hex) => hex.length === 7);

/** A colour each of which a part would go wrong with. */
const extremes = ['#ffffff', '#000000', '#ffe600', '#f5f5dc', '#0a0a23', '#808080', '#777777', '#0000ff', '#e9edf1'];
const themes = ['light', 'dark'] as const;
const forAnyColour = (holds: (hex: string) => void) =>
  fc.assert(fc.property(colour, holds), { numRuns: 500, examples: extremes.map((hex) => [hex]) });
const ratio = (a: string, b: string) => contrast(parseHex(a), parseHex(b));

describe('an accent', () => {
  it('stays the organiser’s own as a fill, whatever it is', () => {
    forAnyColour((hex) => {
      for (const theme of themes) expect(accentShades(hex)[theme].fill).toBe(hex);
    });
  });

  it('has text on it of 4.5:1, black or white, also under a pointer, which shows', () => {
    forAnyColour((hex) => {
      for (const theme of themes) {
        const { fill, fillStrong, onFill } = accentShades(hex)[theme];
        expect(['#000000', '#ffffff']).toContain(onFill);
        expect(ratio(onFill, fill)).toBeGreaterThanOrEqual(4.5);
        expect(ratio(onFill, fillStrong)).toBeGreaterThanOrEqual(4.5);
        expect(ratio(fill, fillStrong)).toBeGreaterThan(1.1);
      }
    });
  });

  it('has an edge of 3:1 on every background, its own where that is enough', () => {
    forAnyColour((hex) => {
      for (const theme of themes) {
        const { fill, fillLine } = accentShades(hex)[theme];
        for (const ground of grounds) expect(contrast(parseHex(fillLine), ground[theme])).toBeGreaterThanOrEqual(3);
        if (grounds.every((ground) => contrast(parseHex(fill), ground[theme]) >= 3.1)) expect(fillLine).toBe(fill);
      }
    });
  });

  it('is readable as text on every background, and seen as a focus', () => {
    forAnyColour((hex) => {
      for (const theme of themes) {
        const { accent, focus } = accentShades(hex)[theme];
        for (const ground of grounds) {
          expect(contrast(parseHex(accent), ground[theme])).toBeGreaterThanOrEqual(4.5);
          expect(contrast(parseHex(focus), ground[theme])).toBeGreaterThanOrEqual(3);
        }
      }
    });
  });

  it('that is readable is kept as text too, and yellow has a darker edge on a light page', () => {
    expect(accentShades('#6b21a8').light.accent).toBe('#6b21a8');
    const { light, dark } = accentShades('#ffe600');
    expect(light).toMatchObject({ fill: '#ffe600', onFill: '#000000' });
    expect(light.fillLine).not.toBe('#ffe600');
    expect(dark).toMatchObject({ fill: '#ffe600', onFill: '#000000', fillLine: '#ffe600', accent: '#ffe600' });
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

  it('of a page goes before that of a brand, setting by setting', () => {
    const page = readAppearance({ accent: '#112233', theme: 'dark' });
    const brand = readAppearance({ accent: '#ffe600', theme: 'light', radius: 4, font: 'Arial' });
    expect(appearanceOver(page, brand)).toEqual({ ...brand, accent: '#112233', theme: 'dark' });
    expect(appearanceOver(readAppearance({}), brand)).toEqual(brand);
  });

  it('changes existing tokens only', () => {
    const tokens = tokensOf(readAppearance({ accent: '#ffe600', radius: 4, font: 'Arial' }));
    for (const name of tokens.keys()) expect(css).toContain(`${name}:`);
    expect(tokens.get('--svc-font')).toBe('"Arial", system-ui, sans-serif');
    expect(tokens.size).toBe(9);
  });
});
