import { describe, expect, it } from 'vitest';
import { type LinearColour, linearColour, restingLight } from './colours.ts';
import type { LightEvidence } from './evidence.ts';
import {
  type EarlierLight,
  judgeLight,
  type LightJudgement,
  type LightVerdict,
  nothingEarlier,
  showsTrace,
} from './judge.ts';
import { contrastPlaces, type LightSample } from './measure.ts';
import { STANDARD_LIGHT_POLICY } from './policy.ts';
import { shownSteps } from './response.ts';
import { drawLightSequence, type LightSequence, sequenceMs } from './sequence.ts';

const policy = STANDARD_LIGHT_POLICY;

/** A reproducible multiplicative generator (Lehmer, 1951). */
function lehmer(seed: number): () => number {
  let state = seed % 2_147_483_647 || 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
const sequenceOf = (seed: number): LightSequence => {
  const next = lehmer(seed);
  for (let i = 0; i < 5; i++) next();
  return drawLightSequence({ bytes: (n) => Uint8Array.from({ length: n }, () => 256 * next()) });
};

interface Scene {
  /** Ratio of screen to ambient light, on the five regions and on the background. */
  readonly gains?: readonly number[];
  readonly background?: number;
  /** Gain of brows and eyes. Default: that of the brighter skin beside them. */
  readonly dark?: number;
  /** The light on the scene. Default: the challenge's own; null for none. */
  readonly lit?: LightSequence | null;
  readonly latencyMs?: number;
  readonly fps?: number;
  readonly noise?: number;
  /** The camera's factors of red and blue at a time. */
  readonly balance?: (atMs: number) => readonly [number, number];
  readonly white?: LinearColour;
  /** Of the screen. Default: an ordinary one. */
  readonly candela?: number;
  readonly over?: (sample: LightSample, index: number) => Partial<LightSample>;
}

const startMs = 1_000;
const starts = (sequence: LightSequence): number[] => {
  let atMs = startMs;
  return sequence.map(({ durationMs }) => {
    const from = atMs;
    atMs += durationMs;
    return from;
  });
};

function colourAt(atMs: number, sequence: LightSequence): LinearColour {
  const from = starts(sequence);
  const step = sequence.findIndex(({ durationMs }, i) => atMs >= (from[i] ?? 0) && atMs < (from[i] ?? 0) + durationMs);
  return linearColour(sequence[step]?.colour ?? restingLight);
}

/** One sequence. */
function judgement(scene: Scene, seed: number, earlier: EarlierLight = nothingEarlier): LightJudgement {
  const sequence = sequenceOf(seed);
  const { gains = [0.2, 0.25, 0.25, 0.3, 0.3], background = 0.02, lit = sequence, latencyMs = 110 } = scene;
  const bright = gains[2] ?? 0;
  const { dark = bright } = scene;
  const { fps = 10, noise = 0.003, balance = () => [1, 1], white = [1, 1, 1], candela, over = () => ({}) } = scene;
  const random = lehmer(seed + 1);
  const samples: LightSample[] = [];
  for (let atMs = startMs - 300; atMs < startMs + 3_700; atMs += 1000 / fps) {
    const light = lit === null ? [0.5, 0.5, 0.5] : colourAt(atMs - latencyMs, lit);
    const [red, blue] = balance(atMs);
    const seen = (albedo: LinearColour, gain: number): LinearColour => {
      const channel = (k: 0 | 1 | 2): number =>
        albedo[k] *
        ((white[k] + gain * (light[k] ?? 0)) / white[k]) *
        (k === 0 ? red : k === 2 ? blue : 1) *
        (1 + noise * (random() - 0.5) * 2);
      return [channel(0), channel(1), channel(2)];
    };
    const sample: LightSample = {
      atMs,
      regions: gains.map((gain) => seen([0.3, 0.2, 0.15], gain)),
      contrasts: contrastPlaces.map(() => ({
        dark: seen([0.075, 0.05, 0.04], dark),
        bright: seen([0.3, 0.2, 0.15], bright),
      })),
      background: seen([0.2, 0.2, 0.25], background),
      faceShare: 0.3,
      clipped: 0,
      frontal: true,
    };
    samples.push({ ...sample, ...over(sample, samples.length) });
  }
  const steps = shownSteps(sequence, starts(sequence));
  return judgeLight(samples, { steps, endMs: startMs + sequenceMs(sequence), candela }, earlier);
}

/** The verdict of an attempt: if the first sequence is too faint, a second is judged with it. */
function judged(scene: Scene = {}, seed = 7, second = scene): LightVerdict {
  const { verdict, evidence } = judgement(scene, seed);
  if (verdict.outcome !== 'abstained' || verdict.reason !== 'faint') return verdict;
  return judgement(second, seed + 1_000, { sequences: 1, faint: evidence }).verdict;
}

const answered = { outcome: 'answered' };
const notAnswered = { outcome: 'not-answered' };
const abstained = (reason: string) => ({ outcome: 'abstained', reason });

const sheet = [0.25, 0.25, 0.25, 0.25, 0.25];
/** In strong light. */
const dim: Scene = { gains: [0.02, 0.022, 0.022, 0.026, 0.025], background: 0.002, noise: 0.002 };
const hidden: Scene = { gains: [0.01, 0.011, 0.011, 0.013, 0.012], background: 0.001, noise: 0.006 };
const weak: Scene = { gains: [0.055, 0.06, 0.06, 0.05, 0.1], background: 0.003, noise: 0.001 };
const twice = weak.gains?.map((gain) => 2 * gain) ?? [];
// A camera's colour matrix reduces the little blue, so the screen's blue looks that much stronger.
const starved = { white: [1.9, 1, 0.08], noise: 0.001 } as const;
/** Of a camera that follows the light with its white balance. */
const following = (atMs: number): readonly [number, number] => {
  const [r, g, b] = colourAt(atMs - 110, sequenceOf(7));
  return [(1 + 0.25 * r) / (1 + 0.25 * g), (1 + 0.25 * b) / (1 + 0.25 * g)];
};
/** Regions of different colours, one of them hidden at a time. */
const patched = ({ regions }: LightSample, index: number) => ({
  regions: regions.map((colour, i) =>
    i === index % 5 || colour === null
      ? null
      : (([0.4 - 0.05 * i, 0.2, 0.1 + 0.05 * i] as const).map(
          (value, k) => (value * (colour[k] ?? 0)) / ([0.3, 0.2, 0.15][k] ?? 1),
        ) as unknown as LinearColour),
  ),
});
const [one, few, all] = [[7], [2, 3, 6, 7], [1, 2, 3, 4, 5, 6]];

describe('a face', () => {
  it.each<[string, Scene, object, readonly number[]]>([
    ['that is lit answers any sequence', {}, answered, [...all, 7, 8]],
    ['answers on a screen and camera without a delay', { latencyMs: 0 }, answered, one],
    ['answers through a screen and camera of 390 ms', { latencyMs: 390 }, answered, one],
    ['answers at 8 frames a second', { fps: 8 }, answered, one],
    ['answers at 30 frames a second', { fps: 30 }, answered, one],
    ['answers in incandescent light', { white: [1.9, 1, 0.33] }, answered, one],
    ['answers in daylight', { white: [0.92, 1, 1.14] }, answered, one],
    [
      'answers while the camera changes its white balance',
      { balance: (atMs) => [1 + atMs / 20_000, 1.3 - atMs / 15_000] },
      answered,
      one,
    ],
    ['answers in the dark', { gains: [9, 11, 11, 9, 14], background: 0.6, noise: 0.004 }, answered, one],
    ['answers although a region is sometimes hidden', { over: patched, fps: 15 }, answered, one],
    ['on which nothing changes is none', { lit: null }, notAnswered, all],
    ['that answers another sequence is none', { lit: sequenceOf(99) }, notAnswered, one],
    ['that answers too late is none', { latencyMs: 900 }, notAnswered, one],
    ['whose background answers too is held up', { background: 0.22 }, notAnswered, one],
    ['in a picture whose colour the camera changes is none', { lit: null, balance: following }, notAnswered, one],
    ['of which a part answers is a mirror', { gains: [0, 0, 0, 0.03, 0.08] }, notAnswered, one],
    ['of which a part does not is a mirror', { gains: [0.001, 0.25, 0.25, 0.3, 0.3] }, notAnswered, one],
    [
      'of which a part does not, faintly, is a mirror',
      { gains: [0, 0.03, 0.03, 0.03, 0.03], background: 0.001, noise: 0.002 },
      notAnswered,
      one,
    ],
    // Four times as dark, four times the gain: the same light is added everywhere.
    ['under a mirror is none', { dark: 1 }, notAnswered, all],
    // Eyes shaded from the room's light: a share of 0.52 with a standard error of 0.09, then one of 0.59.
    ['with shaded eyes answers', { dark: 0.65 }, answered, all],
    ['with a share a standard error above the middle is under a mirror', { dark: 0.7 }, notAnswered, all],
    ['under a faint mirror is none', { ...dim, dark: 0.088 }, notAnswered, one],
    ['without eyes and mouth in view is none', { over: () => ({ contrasts: [null, null, null] }) }, notAnswered, one],
    ['all of which answers alike is a sheet', { gains: sheet, noise: 0.001 }, notAnswered, [1, 2, 3, 4]],
    ['in light too strong for the screen is not judged', dim, abstained('too-bright'), one],
    // Too noisy for skin, or to find the order at a level of two in a thousand.
    ['whose answer is hardly visible is not judged', hidden, abstained('too-bright'), few],
    ['that gives no answer there is none', { ...hidden, lit: null }, notAnswered, few],
    ['that answers another sequence there is none', { ...hidden, lit: sequenceOf(52) }, notAnswered, few],
    // A strong screen that lights it so little implies strong ambient light; a phone's does not.
    ['that is lit little is not judged', weak, abstained('too-bright'), one],
    ['that a phone lights little answers', { ...weak, candela: 5 }, answered, one],
    ['that is lit twice as much answers', { ...weak, gains: twice }, answered, one],
    [
      'that a large screen lights so is not judged',
      { ...weak, gains: twice, candela: 40 },
      abstained('too-bright'),
      one,
    ],
    [
      'in strong incandescent light is not judged where the camera hardly sees its blue',
      { ...starved, gains: [0.045, 0.05, 0.05, 0.042, 0.08], background: 0.003 },
      abstained('too-bright'),
      all,
    ],
    [
      'in the same light at a room’s strength answers',
      { ...starved, gains: [0.18, 0.2, 0.2, 0.168, 0.32], background: 0.012 },
      answered,
      all,
    ],
    // Otherwise overexposure would bypass the light: white shows no trace of the drawn order.
    ['that is burnt out is told so', { over: () => ({ clipped: 0.3 }) }, abstained('burnt-out'), one],
    ['in too few frames is not judged', { fps: 3 }, abstained('too-few-frames'), one],
    ['that looks away is not judged', { over: (_, index) => ({ frontal: index % 4 === 0 }) }, abstained('moved'), one],
    [
      'that looked for a part of the sequence is not judged',
      { fps: 30, over: ({ atMs }) => ({ frontal: atMs < startMs + 1_200 }) },
      abstained('moved'),
      one,
    ],
    ['with no background beside it is not judged', { over: () => ({ background: null }) }, abstained('moved'), one],
  ])('%s', (_what, scene, verdict, seeds) => {
    for (const seed of seeds) expect(judged(scene, seed), `draw ${seed}`).toEqual(verdict);
  });
});

describe('a second sequence in strong light', () => {
  const faint = (scene: Scene, seed = 7): EarlierLight => {
    const { verdict, evidence } = judgement(scene, seed);
    expect(verdict).toEqual(abstained('faint'));
    return { sequences: 1, faint: evidence };
  };

  it('is shown if the first shows no trace, and identifies the face', () => {
    expect(judgement(hidden, 1_007, faint(hidden)).verdict).toEqual(abstained('too-bright'));
  });

  it('refuses if neither shows a trace, or the second cannot be judged', () => {
    const none = { ...hidden, lit: null };
    expect(judgement(none, 1_007, faint(none)).verdict).toEqual(notAnswered);
    const burnt = { ...none, over: () => ({ clipped: 0.6 }) };
    expect(judgement(burnt, 1_007, faint(none)).verdict).toEqual(abstained('burnt-out'));
    const away = { ...none, over: () => ({ frontal: false }) };
    expect(judgement(away, 1_007, faint(none)).verdict).toEqual(abstained('moved'));
  });

  it.each([1, 2, 3, 4])('never counts as an answer, even if strong (draw %i)', (seed) => {
    const { verdict, evidence } = judgement({}, seed + 1_000, faint(hidden));
    expect(evidence?.face.gain).toBeGreaterThan(policy.answerGain);
    expect(verdict).toEqual(abstained('too-bright'));
    expect(judgement({}, seed + 1_000, faint({ lit: null })).verdict).toEqual(notAnswered);
  });

  it('judges parts and mirrors by both', () => {
    // A mirror in the first sequence; the second alone shows too little to tell.
    const clear = { ...dim, dark: 0.088 };
    const blurred = { ...clear, noise: 0.012 };
    expect(judgement(clear, 1_007, faint(clear)).verdict).toEqual(notAnswered);
    expect(judgement(blurred, 1_007, faint(clear)).verdict).toEqual(notAnswered);
    // Noise hid a part of the face in the first sequence; the second shows that it is lit.
    const part = { ...clear, dark: 0.022 };
    const silent = { ...part, gains: [0, 0.022, 0.022, 0.026, 0.025] };
    expect(judgement(silent, 1_007, faint(silent)).verdict).toEqual(notAnswered);
    expect(judgement(part, 1_007).verdict).toEqual(abstained('too-bright'));
  });

  // In a room a sequence decides alone, whatever was shown before, and is not repeated.
  it.each([
    ['an answer', {}, answered],
    ['a mirror', { dark: 1 }, notAnswered],
    ['a part of a face', { gains: [0.001, 0.25, 0.25, 0.3, 0.3] }, notAnswered],
    ['a face in the dark', { gains: [9, 11, 11, 9, 14], background: 0.6, noise: 0.004 }, answered],
  ])('is none in a room: %s', (_, scene: Scene, verdict) => {
    for (const sequences of [0, 1, 2]) {
      expect(judgement(scene, 7, { sequences, faint: null }).verdict).toEqual(verdict);
    }
  });
});

const after = (chance: number) => ({ sequences: 1, faint: { chance } as LightEvidence });
const lost = { sequences: 1, faint: null };

/** The largest accepted chance of a second sequence after an earlier one, by bisection: acceptance is monotone. */
function most(earlier: EarlierLight): number {
  let [passes, fails] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const middle = (passes + fails) / 2;
    if (showsTrace(middle, earlier)) passes = middle;
    else fails = middle;
  }
  return passes;
}

describe('a trace in strong light', () => {
  it('is a chance of 1 % at most in a first sequence', () => expect(most(nothingEarlier)).toBeCloseTo(0.01, 9));

  it.each([
    ['a first with little', 0.02, 0.1],
    ['a first with less', 0.08, 0.025],
    ['a first with nothing', 0.6, 0.004],
  ])('is 0.2 % of both together, or 0.4 % of the second, after %s', (_, first, second) => {
    expect(most(after(first))).toBeCloseTo(second, 9);
  });

  it('is 0.4 % if the first was aborted', () => expect(most(lost)).toBeCloseTo(0.004, 9));

  it('is not accepted in a third sequence', () => {
    expect(most({ sequences: 2, faint: null })).toBeCloseTo(0, 9);
    expect(most({ ...after(0.02), sequences: 2 })).toBeCloseTo(0, 9);
  });

  // Chances are at worst uniform; an attacker may also drop a sequence, knowing its chance.
  it('is at most 2 % without knowledge of the orders, whichever sequences are aborted', () => {
    const cells = 10_000;
    let sum = 0;
    for (let cell = 0; cell < cells; cell++) {
      const first = (cell + 0.5) / cells;
      sum += showsTrace(first, nothingEarlier) ? 1 : Math.max(most(after(first)), most(lost));
    }
    expect(sum / cells).toBeLessThan(0.02);
    expect(sum / cells).toBeGreaterThan(0.0195);
  });
});
