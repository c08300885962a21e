import type { FaceAnalysis } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { type LightColour, lightPalette, linearColour, restingLight } from '../light/colours.ts';
import { STANDARD_LIGHT_POLICY } from '../light/policy.ts';
import type { LightSequence } from '../light/sequence.ts';
import { LightSession } from './light-session.ts';

const policy = STANDARD_LIGHT_POLICY;
const [magenta, azure, green, orange] = lightPalette;
const sequence: LightSequence = [magenta, green, orange, azure, green, magenta, orange].map((colour, i) => ({
  colour,
  durationMs: 350 + 20 * i,
}));

/** A screen that records, and a session that uses it. */
function session(drawn = sequence) {
  const shown: (LightColour | null)[] = [];
  const light = new LightSession({ show: (colour) => void shown.push(colour) }, () => drawn);
  return { light, shown };
}

const encode = (linear: number): number =>
  255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055);

/** Eyes and mouth: dark over a third of their width. */
const eyesAndMouth = [
  { left: 76, right: 91, top: 68, bottom: 77, outer: 33, inner: 133, upper: 159, lower: 145 },
  { left: 109, right: 124, top: 68, bottom: 77, outer: 362, inner: 263, upper: 386, lower: 374 },
  { left: 86, right: 114, top: 94, bottom: 104, outer: 61, inner: 291, upper: 0, lower: 17 },
];
const isDark = (x: number, y: number): boolean =>
  eyesAndMouth.some(
    ({ left, right, top, bottom }) => x >= left && x < left + (right - left) / 3 && y >= top - 3 && y < bottom + 3,
  );

/** A frame of 200 × 160: a face of 60 pixels in the middle, lit by a colour, and an unlit background. */
function frame(colour: LightColour | null, gain: number) {
  const [width, height] = [200, 160];
  const light = linearColour(colour ?? restingLight);
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const albedo = isDark(x, y) ? 0.05 : 0.25;
      // The chin is nearer to the screen.
      const here = gain * (y > 105 ? 1.3 : 1);
      const onFace = Math.abs(x - 100) < 34 && Math.abs(y - 80) < 44;
      for (let k = 0; k < 3; k++) {
        // A pattern of one level, so that rounding to bytes does not hide small changes.
        const grain = ((x * 7 + y * 13) % 11) / 11 - 0.5;
        const linear = onFace ? albedo * (1 + here * (light[k] ?? 0)) : 0.3;
        data[(y * width + x) * 3 + k] = Math.round(encode(linear) + grain);
      }
    }
  }
  return { data, width, height, channels: 3 as const };
}

const landmarks = new Float32Array(468 * 3);
for (const [point, x, y] of [
  [151, 100, 52],
  [205, 82, 86],
  [425, 118, 86],
  [5, 100, 80],
  [199, 100, 112],
] as const)
  landmarks.set([x, y], point * 3);
for (const { left, right, top, bottom, outer, inner, upper, lower } of eyesAndMouth) {
  landmarks.set([left, top + 4], outer * 3);
  landmarks.set([right, top + 4], inner * 3);
  landmarks.set([left + 7, top], upper * 3);
  landmarks.set([left + 7, bottom], lower * 3);
}
const face = { box: { x: 70, y: 40, width: 60, height: 80 }, landmarks, pose: { yawDeg: 0 } } as FaceAnalysis;

/** Plays a sequence at 20 frames per second; each frame is lit by the colour shown 60 ms earlier. */
function play(gain: number, { light, shown } = session(), fromMs = 0) {
  const history: (LightColour | null)[] = [];
  light.begin(fromMs);
  for (let atMs = fromMs; atMs < fromMs + 5_000; atMs += 20) {
    light.advance(atMs);
    history.push(shown.at(-1) ?? null);
    if (history.length % 3 === 1) light.observe(frame(history.at(-4) ?? null, gain), face, atMs);
    const verdict = light.verdict(atMs);
    if (verdict !== null) return { verdict, atMs, shown, light };
  }
  throw new Error('never judged');
}

const answered = { outcome: 'answered' };
const notAnswered = { outcome: 'not-answered' };
const faint = { outcome: 'abstained', reason: 'faint' };

describe('a light session', () => {
  it('rests, shows the drawn colours in turn, rests again, and restores the screen', () => {
    const { shown, light } = play(0.3);
    light.end();
    expect(shown).toEqual([restingLight, ...sequence.map(({ colour }) => colour), restingLight, null]);
  });

  it('shows each colour for as long as drawn, and longer if it is called late', () => {
    const { light, shown } = session();
    light.begin(1_000);
    expect(light.advance(1_100)).toBe(250);
    expect(light.advance(1_349)).toBe(1);
    expect(shown.at(-1)).toBe(magenta);
    expect(light.advance(1_700)).toBe(370);
    expect(shown.at(-1)).toBe(green);
    expect(light.advance(2_069)).toBe(1);
    expect(light.advance(2_070)).toBe(390);
  });

  it('judges a face that answers, once', () => {
    const { verdict, atMs, light } = play(0.3);
    expect(verdict).toEqual(answered);
    expect(atMs).toBeGreaterThanOrEqual(2_870 + policy.arrivalMs);
    expect(light.verdict(atMs + 1_000)).toBeNull();
    expect(light.advance(atMs + 1_000)).toBeNull();
  });

  it('never shows a third sequence, and counts aborted ones', () => {
    const broken = session();
    broken.light.begin(0);
    broken.light.advance(400);
    expect(play(0, broken, 1_000).verdict).toEqual(notAnswered);
    expect(play(0.3, broken, 6_000).verdict).toEqual(answered);
  });

  it('forgets a sequence that another replaces', () => {
    const draws = [sequence, [...sequence].reverse()];
    const shown: (LightColour | null)[] = [];
    const light = new LightSession({ show: (colour) => void shown.push(colour) }, () => draws.shift() ?? []);
    light.begin(0);
    for (let atMs = 0; atMs < 1_000; atMs += 50) {
      light.advance(atMs);
      light.observe(frame(shown.at(-1) ?? null, 0.3), face, atMs);
    }
    light.begin(1_000);
    let atMs = 1_000;
    let verdict = null;
    for (; verdict === null && atMs < 6_000; atMs += 50) {
      light.advance(atMs);
      light.observe(frame(shown.at(-1) ?? null, 0.3), face, atMs + 30);
      verdict = light.verdict(atMs);
    }
    expect(verdict).toEqual({ outcome: 'answered' });
    expect(atMs).toBeGreaterThan(3_500);
  });

  it('gets no answer from a failing screen, and does not throw', () => {
    const light = new LightSession(
      {
        show: () => {
          throw new Error('no screen');
        },
      },
      () => sequence,
    );
    light.begin(0);
    for (let atMs = 0; atMs < 3_100; atMs += 50) {
      light.advance(atMs);
      light.observe(frame(null, 0.3), face, atMs);
    }
    expect(light.verdict(3_300)).toEqual(faint);
    expect(() => light.end()).not.toThrow();
  });
});
