import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contrast, parseHex, type Rgb, toHex } from '../theme/accent.ts';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
type Theme = 'light' | 'dark';

function colourOf(name: string, theme: Theme): Rgb {
  const [, light, dark] = new RegExp(`--svc-${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css) ?? [];
  if (light === undefined || dark === undefined) throw new Error(`no token ${name}`);
  return parseHex(theme === 'light' ? light : dark);
}

const grounds = 'ground surface sunken';

it.each([
  ['text text-muted accent', grounds, 4.5],
  ['text accent', 'good-ground other-ground bad-ground', 4.5],
  ['good', 'good-ground surface', 4.5],
  ['other', 'other-ground surface', 4.5],
  ['bad', 'bad-ground surface', 4.5],
  ['on-fill', 'fill fill-strong', 4.5],
  ['control-line focus fill-line', grounds, 3],
])('%s on %s: a contrast of %s to 1', (fronts, backs, least) => {
  for (const theme of ['light', 'dark'] as const)
    for (const front of fronts.split(' '))
      for (const back of backs.split(' '))
        expect(contrast(colourOf(front, theme), colourOf(back, theme)), `${front} on ${back}`).toBeGreaterThanOrEqual(
          least,
        );
});

const results = ['let-in', 'already-let-in', 'standard-check-in', 'call-staff'] as const;
type Result = (typeof results)[number];

/** A result's background, or the letters on it. */
const token = (result: Result, theme: Theme, part: '' | '-ink' = ''): Rgb => colourOf(`result-${result}${part}`, theme);

const pairs = results.flatMap((a, i) => results.slice(i + 1).map((b) => [a, b] as const));
/** Results whose background has a frame: striped, or plain. Its colour is that of the letters. */
const framed: readonly Result[] = ['already-let-in', 'call-staff'];

const linear = (channel: number) => (channel <= 10.31475 ? channel / 3294.6 : ((channel / 255 + 0.055) / 1.055) ** 2.4);
const gamma = (value: number) => (value <= 0.003_130_8 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

/** Machado, Oliveira and Fernandes (2009), “A Physiologically-based Model for Simulation of Color Vision Deficiency”. */
const vision = {
  usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
} as const;

function seenWith(matrix: (typeof vision)[keyof typeof vision], colour: Rgb): Rgb {
  const [r, g, b] = colour.map(linear) as [number, number, number];
  const row = (i: 0 | 3 | 6) => matrix[i] * r + (matrix[i + 1] ?? 0) * g + (matrix[i + 2] ?? 0) * b;
  return ([0, 3, 6] as const).map((i) => 255 * gamma(Math.min(1, Math.max(0, row(i))))) as unknown as Rgb;
}

/** Oklab (Ottosson, 2020). */
function oklab(colour: Rgb): readonly number[] {
  const [r, g, b] = colour.map(linear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const difference = (a: Rgb, b: Rgb): number => {
  const [x, y] = [oklab(a), oklab(b)];
  return Math.hypot(...x.map((value, i) => value - (y[i] ?? 0)));
};

describe.each(['light', 'dark'] as const)('backgrounds of results, %s', (theme) => {
  it.each(results)('%s: its letters have 7 to 1', (result) => {
    expect(contrast(token(result, theme), token(result, theme, '-ink'))).toBeGreaterThanOrEqual(7);
  });

  // Four backgrounds cannot all have 3:1: three steps of 3 are 27:1, and white on black has 21:1.
  it.each(pairs)('%s and %s: 3 to 1, or at least 2 to 1 and a frame on one of them', (a, b) => {
    const ratio = contrast(token(a, theme), token(b, theme));
    expect(ratio).toBeGreaterThanOrEqual(2);
    expect(ratio >= 3 || framed.includes(a) !== framed.includes(b)).toBe(true);
  });

  it('the door opens on none that looks like the call for staff: 3 to 1', () => {
    for (const open of ['let-in', 'already-let-in'] as const) {
      expect(contrast(token(open, theme), token('call-staff', theme))).toBeGreaterThanOrEqual(3);
    }
  });

  it.each(Object.keys(vision) as (keyof typeof vision)[])('are told apart with %s', (kind) => {
    for (const [a, b] of pairs) {
      const [x, y] = [a, b].map((result) => seenWith(vision[kind], token(result, theme))) as [Rgb, Rgb];
      // About ten times what is just noticeable in colours side by side.
      expect(difference(x, y), `${a} ${toHex(x)}, ${b} ${toHex(y)}`).toBeGreaterThanOrEqual(0.2);
    }
  });
});
