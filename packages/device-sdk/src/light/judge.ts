import { evidenceOf, type LightEvidence } from './evidence.ts';
import type { LightSample } from './measure.ts';
import { STANDARD_LIGHT_POLICY as policy } from './policy.ts';
import { type Gains, pooledGains } from './reflection.ts';
import { type ShownSequence, screenShare } from './response.ts';

/**
 * Why there is no verdict. `too-bright`: the screen is too weak relative to the ambient light; `faint`: so weak that no
 * trace was found, and a second sequence may show one; `burnt-out`: too much of the face is overexposed; `moved`: the
 * face was not held towards the screen.
 */
export type LightAbstention = 'too-bright' | 'faint' | 'burnt-out' | 'too-few-frames' | 'moved';

/** Whether the face answered the light. */
export type LightVerdict =
  | { readonly outcome: 'answered' }
  | { readonly outcome: 'not-answered' }
  | { readonly outcome: 'abstained'; readonly reason: LightAbstention };

/** A verdict with its evidence. */
export interface LightJudgement {
  readonly verdict: LightVerdict;
  readonly evidence: LightEvidence | null;
}

const abstain = (reason: LightAbstention): LightJudgement => ({
  verdict: { outcome: 'abstained', reason },
  evidence: null,
});

/**
 * Judges whether the face responded to the light. Its colour counts relative to the background beside it: the camera's
 * exposure and white balance change both alike, and so does light on a screen or sheet that is held up.
 * @param earlier the attempt's earlier sequences; after one without a trace in strong light both are judged together,
 *   and neither counts as an answer
 */
export function judgeLight(
  samples: readonly LightSample[],
  shown: ShownSequence,
  earlier: EarlierLight = nothingEarlier,
): LightJudgement {
  const { steps, endMs } = shown;
  const during = samples.filter(({ atMs }) => atMs >= (steps[0]?.fromMs ?? 0) && atMs <= endMs + policy.maxLatencyMs);
  if (during.length < policy.minFrames) return abstain('too-few-frames');
  const facing = during.filter(({ frontal }) => frontal);
  if (facing.length < policy.minFrames) return abstain('moved');
  const clipped = facing.filter((sample) => sample.clipped > policy.maxClippedShare);
  if (clipped.length > facing.length / 2) return abstain('burnt-out');
  const evidence = evidenceOf(facing, shown);
  if (evidence === null) return abstain('moved');
  return { verdict: decide(evidence, earlier), evidence };
}

const notAnswered: LightVerdict = { outcome: 'not-answered' };

function decide(evidence: LightEvidence, earlier: EarlierLight): LightVerdict {
  const { faint, sequences } = earlier;
  const isBright = faint !== null || evidence.face.gain < policy.answerGain || evidence.ambientLux > policy.brightLux;
  if (!isBright) return isAnswer(evidence) ? { outcome: 'answered' } : notAnswered;
  const gains = faint === null ? evidence : pooledGains(faint, evidence);
  if (showsTrace(evidence.chance, earlier) && mayBeSkin(gains)) {
    return { outcome: 'abstained', reason: 'too-bright' };
  }
  return sequences === 0 ? { outcome: 'abstained', reason: 'faint' } : notAnswered;
}

/**
 * All are certain: the drawn order is visible in the whole face, and skin on a head in front of a background responds.
 */
const isAnswer = (evidence: LightEvidence): boolean =>
  evidence.chance <= policy.maxChance &&
  isBefore(evidence, policy.errors) &&
  isSurelyLit(evidence) &&
  isEverywhere(evidence, policy.errors) &&
  !isNoSkin(evidence) &&
  evidence.face.explained >= policy.minExplained;

/**
 * In strong light a living face usually shows too little to be certain. Faces are still rejected without a trace of the
 * drawn order, or if they are more likely not skin.
 */
const mayBeSkin = (gains: Gains): boolean =>
  gains.face.gain >= policy.weakGain &&
  isBefore(gains, policy.strongLight.errors) &&
  isEverywhere(gains, policy.strongLight.errors) &&
  !isNoSkin(gains) &&
  !isLikelyMirrored(gains);

/** A held-up picture responds as a whole: the face must certainly respond more than its surroundings. */
function isBefore({ background, skin }: Gains, errors: number): boolean {
  const most = background.gain + errors * background.gainError;
  // In the dark a gain is known only up to a factor.
  const least = skin.gain * Math.exp((-errors * skin.gainError) / skin.gain);
  return most <= policy.maxBackgroundShare * least;
}

/**
 * The light is more likely overlaid than reflected by the surface. A share just above the middle is not enough: eyes
 * are shaded from the room's light.
 */
const isLikelyMirrored = ({ gloss }: Gains): boolean => gloss.share - gloss.error > policy.maxGloss;

/** The light is certainly reflected by the surface. */
const isSurelyLit = (evidence: Gains): boolean =>
  !isLikelyMirrored(evidence) && evidence.gloss.share + policy.errors * evidence.gloss.error < 1;

/**
 * Certainly a mirror's highlight or a sheet, whose parts all face one way. Colours cannot show a sheet in the dark or
 * under noise.
 */
function isNoSkin({ face, regions, relief }: Gains): boolean {
  const { errors, maxRegionGain, minRelief, reliefUpToGain } = policy;
  if (regions.some(({ gain, gainError }) => gain - errors * gainError > maxRegionGain * face.gain)) return true;
  return face.gain <= reliefUpToGain && relief.roughness < minRelief && relief.error < minRelief;
}

/**
 * Everything at the place of a face is lit: skin, hair or cap. A mirror image covers only a part: a region that
 * certainly responds less indicates one.
 */
function isEverywhere({ face, regions }: Gains, errors: number): boolean {
  const least = screenShare({ ...face, gain: policy.regionGainShare * face.gain }).value;
  const shares = regions.map(screenShare);
  const silent = shares.filter(({ value, error }) => value + errors * error < least);
  const heard = shares.filter(({ value, error }) => value >= least && value > errors * error);
  return silent.length === 0 && heard.length >= policy.minRegions;
}

/** An attempt's light before a sequence. */
export interface EarlierLight {
  /** Number of sequences, including aborted ones and those with a moving face. */
  readonly sequences: number;
  /** Evidence of the first if it showed no trace in strong light, else null. */
  readonly faint: LightEvidence | null;
}

export const nothingEarlier: EarlierLight = { sequences: 0, faint: null };

/**
 * Whether the drawn order is visible enough to abstain in strong light. Each sequence's chance is exact whatever came
 * before, and the limit of the second depends on the chance of the first only (P. Bauer and K. Köhne, Evaluation of
 * experiments with adaptive interim analyses, Biometrics 1994). Dropping a sequence on purpose gains nothing, and a
 * third never counts.
 */
export function showsTrace(chance: number, { sequences, faint }: EarlierLight): boolean {
  const { maxChance, again } = policy.strongLight;
  if (sequences === 0) return chance <= maxChance;
  if (sequences > 1) return false;
  return chance <= again.maxChance || (faint !== null && chance * faint.chance <= again.maxProduct);
}
