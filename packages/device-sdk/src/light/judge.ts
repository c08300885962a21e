import { evidenceOf, type LightEvidence } from './evidence.ts';
import type { LightPolicy } from './policy.ts';
import type { ShownStep } from './response.ts';
import { screenShare } from './response-model.ts';
import type { LightSample } from './sample.ts';

/** Why nothing could be told. `too-bright`: the screen is too weak beside the other light; `moved`: the face was not held towards it. */
export type LightAbstention = 'too-bright' | 'too-few-frames' | 'moved';

export type LightVerdict =
  | { readonly outcome: 'answered' }
  | { readonly outcome: 'not-answered' }
  | { readonly outcome: 'abstained'; readonly reason: LightAbstention };

export interface LightJudgement {
  readonly verdict: LightVerdict;
  readonly evidence: LightEvidence | null;
}

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
  const evidence = evidenceOf(facing, steps, endMs, policy);
  if (evidence === null) return abstain('moved');
  return { verdict: decide(evidence, policy), evidence };
}

function decide(evidence: LightEvidence, policy: LightPolicy): LightVerdict {
  const { chance, face } = evidence;
  const isSeen = chance <= policy.maxChance && face.gain >= policy.weakGain;
  const isNoSkin = isHeldUp(evidence, policy) || isMirrored(evidence, policy) || isFlat(evidence, policy);
  if (!isSeen || isNoSkin || !isEverywhere(evidence, policy)) return { outcome: 'not-answered' };
  const isBright = face.gain < policy.answerGain || evidence.ambientLux > policy.brightLux;
  if (isBright) return { outcome: 'abstained', reason: 'too-bright' };
  return { outcome: face.explained >= policy.minExplained ? 'answered' : 'not-answered' };
}

/** What is held up answers as a whole, picture and picture's background: the face must surely answer more than what is beside it. */
function isHeldUp({ background, skin }: LightEvidence, { errors, maxBackgroundShare }: LightPolicy): boolean {
  const most = background.gain + errors * background.gainError;
  // In the dark a gain is known to a factor, no better.
  const least = skin.gain * Math.exp((-errors * skin.gainError) / skin.gain);
  return !(most <= maxBackgroundShare * least);
}

/** Light that was laid over, or not surely the surface's own; or that lies on one spot. */
function isMirrored({ gloss, face, regions }: LightEvidence, policy: LightPolicy): boolean {
  const { errors, maxGloss, maxRegionGain } = policy;
  if (gloss.share > maxGloss || !(gloss.share + errors * gloss.error < 1)) return true;
  return regions.some(({ gain, gainError }) => gain - errors * gainError > maxRegionGain * face.gain);
}

/** All parts face one way. Where the screen is nearly all the light there is, colours don't tell, nor where noise hides it. */
const isFlat = ({ relief, face }: LightEvidence, { minRelief, reliefUpToGain }: LightPolicy): boolean =>
  face.gain <= reliefUpToGain && relief.roughness < minRelief && relief.error < minRelief;

/**
 * Whatever there is at the place of a face, skin, hair or cap, is lit. A mirror's image lies on a part of it: a region that surely answers less
 * speaks against it.
 */
function isEverywhere({ face, regions }: LightEvidence, policy: LightPolicy): boolean {
  const least = screenShare({ ...face, gain: policy.regionGainShare * face.gain }).value;
  const shares = regions.map(screenShare);
  const silent = shares.filter(({ value, error }) => value + policy.errors * error < least);
  const heard = shares.filter(({ value, error }) => value >= least && value > policy.errors * error);
  return silent.length === 0 && heard.length >= policy.minRegions;
}
