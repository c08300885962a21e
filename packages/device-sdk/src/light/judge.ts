import type { LinearColour } from './colours.ts';
import type { AnswerPolicy, LightPolicy } from './policy.ts';
import {
  type Chromaticity,
  chromaticity,
  type Fit,
  type Observed,
  ResponseModel,
  type ShownStep,
  stepAt,
  swing,
} from './response.ts';
import { type LightSample, lightRegions } from './sample.ts';

/** Why nothing could be told. `too-bright`: the screen is too weak beside the other light; `moved`: the face was not held towards it. */
export type LightAbstention = 'too-bright' | 'too-few-frames' | 'moved';

export type LightVerdict =
  | { readonly outcome: 'answered' }
  | { readonly outcome: 'not-answered' }
  | { readonly outcome: 'abstained'; readonly reason: LightAbstention };

/** The numbers behind a verdict: for calibration and tests, never for a result at a door. */
export interface LightEvidence {
  readonly frames: number;
  readonly latencyMs: number;
  /** The face against the background beside it. */
  readonly face: Fit;
  /** The face by itself, and the background by itself. */
  readonly skin: Fit;
  readonly background: Fit;
  /** In the order of {@link lightRegions}. */
  readonly regions: readonly Fit[];
}

export interface LightJudgement {
  readonly verdict: LightVerdict;
  readonly evidence: LightEvidence | null;
}

const latencyStepMs = 20;
const abstain = (reason: LightAbstention): LightJudgement => ({
  verdict: { outcome: 'abstained', reason },
  evidence: null,
});

/**
 * Whether the face answered the light. What counts is how its colour moves against that of the background beside it: the camera's own
 * exposure and white balance move both alike, and so does a screen or a sheet that is held up, picture and picture's background.
 */
export function judgeLight(
  samples: readonly LightSample[],
  steps: readonly ShownStep[],
  endMs: number,
  policy: LightPolicy,
): LightJudgement {
  const during = samples.filter(({ atMs }) => atMs >= (steps[0]?.fromMs ?? 0) && atMs <= endMs + policy.maxLatencyMs);
  if (during.length < policy.minFrames) return abstain('too-few-frames');
  const facing = during.filter(({ frontal }) => frontal);
  if (facing.length < policy.minFrames) return abstain('moved');
  const clipped = facing.filter((sample) => sample.clipped > policy.maxClippedShare);
  if (clipped.length > facing.length / 2) return abstain('too-bright');
  const evidence = bestFit(facing, steps, endMs, policy);
  if (evidence === null) return abstain('moved');
  return { verdict: decide(evidence, policy), evidence };
}

type Series = readonly { readonly atMs: number; readonly value: Chromaticity }[];

const series = (samples: readonly LightSample[], of: (sample: LightSample) => Chromaticity | null): Series =>
  samples.flatMap((sample) => {
    const value = of(sample);
    return value === null ? [] : [{ atMs: sample.atMs, value }];
  });

const against = (a: Chromaticity | null, b: Chromaticity | null): Chromaticity | null =>
  a === null || b === null ? null : [a[0] - b[0], a[1] - b[1]];

const seenAs = (colour: LinearColour | null | undefined): Chromaticity | null => (colour ? chromaticity(colour) : null);

/** Median over the regions, so that a lock of hair or a moving mouth decides nothing; null where too few are in view. */
function skinOf(policy: LightPolicy): (sample: LightSample) => Chromaticity | null {
  return ({ regions }) => {
    const there = regions.flatMap((colour) => (colour === null ? [] : [chromaticity(colour)]));
    if (there.length < policy.answer.regions) return null;
    return [median(there.map(([red]) => red)), median(there.map(([, blue]) => blue))];
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle - 0.5)] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** The latency at which the sequence explains most, and what it then explains; null where the frames do not cover the sequence. */
function bestFit(
  samples: readonly LightSample[],
  steps: readonly ShownStep[],
  endMs: number,
  policy: LightPolicy,
): LightEvidence | null {
  const model = new ResponseModel(steps);
  const lit = (one: Series, latencyMs: number): Observed[] =>
    one.flatMap(({ atMs, value }) => {
      const step = stepAt(atMs, latencyMs, steps, endMs, policy);
      return step < 0 ? [] : [{ atMs, step, value }];
    });
  const ofSkin = skinOf(policy);
  const face = series(samples, (sample) => against(ofSkin(sample), seenAs(sample.background)));
  let best: { readonly latencyMs: number; readonly fit: Fit; readonly frames: number } | null = null;
  for (let latencyMs = 0; latencyMs <= policy.maxLatencyMs; latencyMs += latencyStepMs) {
    const observed = lit(face, latencyMs);
    if (observed.length < policy.minFrames) continue;
    if (new Set(observed.map(({ step }) => step)).size < policy.minStepsSeen) continue;
    const fit = model.fit(observed);
    if (best === null || fit.explained > best.fit.explained) best = { latencyMs, fit, frames: observed.length };
  }
  if (best === null) return null;
  const { latencyMs, fit, frames } = best;
  const then = (of: (sample: LightSample) => Chromaticity | null): Fit =>
    model.fit(lit(series(samples, of), latencyMs));
  return {
    frames,
    latencyMs,
    face: fit,
    skin: then(ofSkin),
    background: then((sample) => seenAs(sample.background)),
    regions: lightRegions.map((_, region) =>
      then((sample) => against(seenAs(sample.regions[region]), seenAs(sample.background))),
    ),
  };
}

function decide(evidence: LightEvidence, policy: LightPolicy): LightVerdict {
  const { face, skin, background } = evidence;
  if (background.gain > policy.maxBackgroundShare * skin.gain) return { outcome: 'not-answered' };
  if (face.gain >= policy.answerGain) {
    return { outcome: isEverywhere(evidence, policy.answer, policy) ? 'answered' : 'not-answered' };
  }
  if (face.gain >= policy.weakGain && isEverywhere(evidence, policy.weakAnswer, policy)) {
    return { outcome: 'abstained', reason: 'too-bright' };
  }
  return { outcome: 'not-answered' };
}

/**
 * Whatever there is at the place of a face, skin, hair or cap, is lit. A mirror's image lies on a part of it: a region that would show the answer
 * and does not speaks against it.
 */
function isEverywhere({ face, regions }: LightEvidence, asked: AnswerPolicy, policy: LightPolicy): boolean {
  const answers = ({ gain, explained }: Fit): boolean =>
    gain >= policy.regionGainShare * face.gain && explained >= asked.regionExplained;
  const silent = regions.some((region) => !answers(region) && region.noise < policy.silentNoise * swing(face.gain));
  return face.explained >= asked.explained && !silent && regions.filter(answers).length >= asked.regions;
}
