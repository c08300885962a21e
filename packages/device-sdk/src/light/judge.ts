import { evidenceOf, type LightEvidence } from './evidence.ts';
import type { LightPolicy } from './policy.ts';
import { type Gains, pooledGains } from './pooled.ts';
import type { ShownSequence } from './response.ts';
import { screenShare } from './response-model.ts';
import type { LightSample } from './sample.ts';
import { type EarlierLight, nothingEarlier, showsTrace } from './strong-light.ts';

/**
 * Why nothing could be told. `too-bright`: the screen is too weak beside the other light; `faint`: so weak that no
 * trace of it was found, and a second sequence may; `burnt-out`: the camera shows too much of the face as white, which
 * tells nothing; `moved`: the face was not held towards it.
 */
export type LightAbstention = 'too-bright' | 'faint' | 'burnt-out' | 'too-few-frames' | 'moved';

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
 * Whether the face answered the light. What counts is how its colour moves against that of the background beside it:
 * the camera's own exposure and white balance move both alike, and so does a screen or a sheet that is held up, picture
 * and picture's background.
 * @param earlier what the attempt showed before; after one that showed no trace in strong light both are judged
 * together, and neither answers
 */
export function judgeLight(
  samples: readonly LightSample[],
  shown: ShownSequence,
  policy: LightPolicy,
  earlier: EarlierLight = nothingEarlier,
): LightJudgement {
  const { steps, endMs } = shown;
  const during = samples.filter(({ atMs }) => atMs >= (steps[0]?.fromMs ?? 0) && atMs <= endMs + policy.maxLatencyMs);
  if (during.length < policy.minFrames) return abstain('too-few-frames');
  const facing = during.filter(({ frontal }) => frontal);
  if (facing.length < policy.minFrames) return abstain('moved');
  const clipped = facing.filter((sample) => sample.clipped > policy.maxClippedShare);
  if (clipped.length > facing.length / 2) return abstain('burnt-out');
  const evidence = evidenceOf(facing, shown, policy);
  if (evidence === null) return abstain('moved');
  return { verdict: decide(evidence, earlier, policy), evidence };
}

const notAnswered: LightVerdict = { outcome: 'not-answered' };

function decide(evidence: LightEvidence, earlier: EarlierLight, policy: LightPolicy): LightVerdict {
  const { faint, sequences } = earlier;
  const isBright = faint !== null || evidence.face.gain < policy.answerGain || evidence.ambientLux > policy.brightLux;
  if (!isBright) return isAnswer(evidence, policy) ? { outcome: 'answered' } : notAnswered;
  const gains = faint === null ? evidence : pooledGains(faint, evidence);
  if (showsTrace(evidence.chance, earlier, policy.strongLight) && mayBeSkin(gains, policy)) {
    return { outcome: 'abstained', reason: 'too-bright' };
  }
  return sequences === 0 ? { outcome: 'abstained', reason: 'faint' } : notAnswered;
}

/**
 * Each is sure: the drawn order is seen, in all of the face, and what answers is skin on a head before something
 * further away.
 */
const isAnswer = (evidence: LightEvidence, policy: LightPolicy): boolean =>
  evidence.chance <= policy.maxChance &&
  isBefore(evidence, policy) &&
  isSurelyLit(evidence, policy) &&
  isEverywhere(evidence, policy) &&
  !isNoSkin(evidence, policy) &&
  evidence.face.explained >= policy.minExplained;

/**
 * Beside strong light little is to be seen, and of a living face most likely not enough to be sure. The light still
 * tells who shows no trace of the drawn order, and what more likely than not is no skin: they are not passed on.
 */
function mayBeSkin(gains: Gains, policy: LightPolicy): boolean {
  const likely: LightPolicy = { ...policy, errors: policy.strongLight.errors };
  return (
    gains.face.gain >= policy.weakGain &&
    isBefore(gains, likely) &&
    isEverywhere(gains, likely) &&
    !isNoSkin(gains, policy) &&
    !isLikelyMirrored(gains, policy)
  );
}

/**
 * What is held up answers as a whole, picture and picture's background: the face must surely answer more than what is
 * beside it.
 */
function isBefore({ background, skin }: Gains, { errors, maxBackgroundShare }: LightPolicy): boolean {
  const most = background.gain + errors * background.gainError;
  // In the dark a gain is known to a factor, no better.
  const least = skin.gain * Math.exp((-errors * skin.gainError) / skin.gain);
  return most <= maxBackgroundShare * least;
}

/**
 * The light is more likely laid over the surface than its own. A share this little above the middle may as well lie
 * below it: eyes are in the room's shade.
 */
const isLikelyMirrored = ({ gloss }: Gains, { maxGloss }: LightPolicy): boolean => gloss.share - gloss.error > maxGloss;

/** The light is the surface's own, and surely not laid over it. */
const isSurelyLit = (evidence: Gains, policy: LightPolicy): boolean =>
  !isLikelyMirrored(evidence, policy) && evidence.gloss.share + policy.errors * evidence.gloss.error < 1;

/**
 * Surely a mirror's spot, or a sheet: all parts face one way. Where the screen is nearly all the light there is,
 * colours don't tell the latter, nor where noise hides it.
 */
function isNoSkin({ face, regions, relief }: Gains, policy: LightPolicy): boolean {
  const { errors, maxRegionGain, minRelief, reliefUpToGain } = policy;
  if (regions.some(({ gain, gainError }) => gain - errors * gainError > maxRegionGain * face.gain)) return true;
  return face.gain <= reliefUpToGain && relief.roughness < minRelief && relief.error < minRelief;
}

/**
 * Whatever there is at the place of a face, skin, hair or cap, is lit. A mirror's image lies on a part of it: a region
 * that surely answers less speaks against it.
 */
function isEverywhere({ face, regions }: Gains, policy: LightPolicy): boolean {
  const least = screenShare({ ...face, gain: policy.regionGainShare * face.gain }).value;
  const shares = regions.map(screenShare);
  const silent = shares.filter(({ value, error }) => value + policy.errors * error < least);
  const heard = shares.filter(({ value, error }) => value >= least && value > policy.errors * error);
  return silent.length === 0 && heard.length >= policy.minRegions;
}
