import type { ReliefPolicy, VerificationPolicy } from './policy.ts';
import type { Face } from './seeing.ts';
import type { Facts } from './states.ts';
import { towards } from './step.ts';

/** What the pixels of one turned frame say of the face's shape, against those of a frontal one. */
export interface ReliefSample {
  /**
   * How far the nose stands out of the plane of eyes and mouth, in distances of the eyes: its way out of that plane over the sine of the turn. 0 of
   * a sheet, negative where it went the wrong way.
   */
  readonly depth: number;
  /** Width over height of eyes and mouth, of that from the front. */
  readonly widthKept: number;
  /** How surely the nose was found again, −1..1. */
  readonly agreement: number;
}

/** The facts with what this frame adds: only a face that is turned the asked way, and not too far to see the far eye, says something. */
export function collectRelief(facts: Facts, event: Face, { relief: policy, turned }: VerificationPolicy): Facts {
  const { relief } = event;
  const yawDeg = towards(event.yawDeg, facts);
  if (relief === null || !(relief.agreement >= policy.minAgreement)) return facts;
  if (!(yawDeg >= policy.fromYawDeg && yawDeg <= turned.untilYawDeg)) return facts;
  return { ...facts, relief: [...facts.relief, relief] };
}

/** What all frames of the turn together say: the middle one of each measure, so that no single frame decides. */
export function shapeOf({ relief }: Pick<Facts, 'relief'>, policy: ReliefPolicy): 'head' | 'flat' | 'narrowed' {
  const depth = median(relief.map((sample) => sample.depth));
  if (relief.length < policy.minFrames || !(depth >= policy.minDepth)) return 'flat';
  if (depth >= policy.surelyDeep) return 'head';
  return median(relief.map(({ widthKept }) => widthKept)) >= policy.minWidthKept ? 'head' : 'narrowed';
}

/** Of an even number the lower of the two in the middle; what is no number is the lowest. */
function median(values: readonly number[]): number {
  const sorted = values.map((value) => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value)).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
