import type { FaceAnalysis } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { type LightColour, lightPalette, restingLight } from '../light/colours.ts';
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

/** A dark face, which answers nothing. */
const image = { data: new Uint8Array(200 * 160 * 3), width: 200, height: 160, channels: 3 as const };
const face = {
  box: { x: 70, y: 40, width: 60, height: 80 },
  landmarks: new Float32Array(468 * 3).fill(100),
  pose: { yawDeg: 0 },
} as FaceAnalysis;

/** Plays a sequence at 20 frames per second. */
function play({ light, shown } = session(), fromMs = 0) {
  light.begin(fromMs);
  for (let atMs = fromMs; atMs < fromMs + 5_000; atMs += 50) {
    light.advance(atMs);
    light.observe(image, face, atMs);
    const verdict = light.verdict(atMs);
    if (verdict !== null) return { verdict, atMs, shown, light };
  }
  throw new Error('never judged');
}

const notAnswered = { outcome: 'not-answered' };
const faint = { outcome: 'abstained', reason: 'faint' };

describe('a light session', () => {
  it('rests, shows the drawn colours in turn, rests again, and restores the screen', () => {
    const { shown, light } = play();
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

  it('judges once, when the sequence has reached the frames', () => {
    const { verdict, atMs, light } = play();
    expect(verdict).toEqual(faint);
    expect(atMs).toBeGreaterThanOrEqual(2_870 + policy.arrivalMs);
    expect(light.verdict(atMs + 1_000)).toBeNull();
    expect(light.advance(atMs + 1_000)).toBeNull();
  });

  it('repeats a sequence without a trace once, and counts aborted ones', () => {
    const first = play();
    expect(play(first, 5_000).verdict).toEqual(notAnswered);
    const broken = session();
    broken.light.begin(0);
    broken.light.advance(400);
    expect(play(broken, 1_000).verdict).toEqual(notAnswered);
  });

  it('does not throw where the screen fails', () => {
    const show = () => {
      throw new Error('no screen');
    };
    const light = new LightSession({ show }, () => sequence);
    expect(play({ light, shown: [] }).verdict).toEqual(faint);
    expect(() => light.end()).not.toThrow();
  });
});
