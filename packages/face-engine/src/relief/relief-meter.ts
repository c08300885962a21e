import type { FaceAnalysis } from '../types.ts';
import { measureNoseRelief, type NoseRelief, type ReliefFace } from './nose-relief.ts';

/** Shape of one turned frame relative to the references, measured from pixels. */
export interface ReliefSample {
  /**
   * Height of the nose above the plane of eyes and mouth, in inter-eye distances: its offset over the sine of the turn.
   * 0 for a sheet; negative if it moved the wrong way.
   */
  readonly depth: number;
  /** Width over height of eyes and mouth, relative to the frontal frame. */
  readonly widthKept: number;
  /** Confidence of the nose match, −1 to 1. */
  readonly agreement: number;
}

/** Limits for the shape of the turned face, over all turned frames of the turn and of the way back. */
export interface ReliefPolicy {
  /** Minimum angle of measured frames, degrees. */
  readonly fromYawDeg: number;
  /** Minimum correlation of the nose; frames below it are ignored. */
  readonly minAgreement: number;
  /** Minimum number of measured frames; with fewer the shape is unknown. */
  readonly minFrames: number;
  /** Minimum median height of the nose above the plane of eyes and mouth, in inter-eye distances. */
  readonly minDepth: number;
  /** Minimum median width over height of eyes and mouth, relative to the front, if the depth is below `surelyDeep`. */
  readonly minWidthKept: number;
  /** From this median height on no sheet was measured, and the width, which varies between heads, is not checked. */
  readonly surelyDeep: number;
}

type Reference = ReliefFace & { readonly yawDeg: number };

/** Angles in degrees: faces are measured from `fromYawDeg` on and count as frontal up to `frontalYawDeg`. */
export interface ReliefLimits extends Pick<ReliefPolicy, 'fromYawDeg'> {
  readonly frontalYawDeg: number;
}

/**
 * Angles of the second reference, a slightly turned face: a far turned face resembles it more than the frontal one,
 * above all with a prominent nose. The frame nearest to `yawDeg` is kept; frames at least `gapDeg` beyond it are
 * measured against it.
 */
const aside = { yawDeg: 14, fromYawDeg: 8, untilYawDeg: 20, gapDeg: 8 } as const;

const radians = (deg: number): number => (deg * Math.PI) / 180;

/**
 * Measures a face's shape while it turns: each turned frame against the most frontal one of the same track and against
 * a slightly turned one; the more confident of the two gives the depth. Keeps both references until `dispose`.
 */
export class ReliefMeter {
  readonly #limits: ReliefLimits;
  #front: Reference | null = null;
  #aside: Reference | null = null;

  constructor(limits: ReliefLimits) {
    this.#limits = limits;
  }

  /** @returns null if the face is hardly turned, or too few points match */
  read(face: FaceAnalysis): ReliefSample | null {
    const { yawDeg } = face.pose;
    if (this.#front === null || Math.abs(yawDeg) < Math.abs(this.#front.yawDeg)) this.#front = keep(face, this.#front);
    const front = this.#front;
    const sample = this.#measure(front, face);
    if (this.#isBetterAside(yawDeg)) this.#aside = keep(face, this.#aside);
    return sample;
  }

  /** Wipes the references. */
  dispose(): void {
    wipe(this.#front);
    wipe(this.#aside);
    this.#front = null;
    this.#aside = null;
  }

  #measure(front: Reference, face: FaceAnalysis): ReliefSample | null {
    const { yawDeg } = face.pose;
    if (Math.abs(yawDeg) < this.#limits.fromYawDeg || Math.abs(front.yawDeg) > this.#limits.frontalYawDeg) return null;
    const relief = measureNoseRelief(front, face);
    if (relief === null) return null;
    const near = this.#reliefFromAside(face);
    const surest = near !== null && near.agreement > relief.agreement ? near : depthOf(relief, front, yawDeg);
    return { ...surest, widthKept: relief.widthKept };
  }

  #reliefFromAside(face: FaceAnalysis): Omit<ReliefSample, 'widthKept'> | null {
    const { yawDeg } = face.pose;
    const reference = this.#aside;
    if (reference === null || yawDeg * reference.yawDeg < 0) return null;
    if (Math.abs(yawDeg) < Math.abs(reference.yawDeg) + aside.gapDeg) return null;
    const relief = measureNoseRelief(reference, face);
    return relief && depthOf(relief, reference, yawDeg);
  }

  #isBetterAside(yawDeg: number): boolean {
    const turned = Math.abs(yawDeg);
    if (!(turned >= aside.fromYawDeg && turned <= aside.untilYawDeg)) return false;
    const off = (deg: number): number => Math.abs(Math.abs(deg) - aside.yawDeg);
    return this.#aside === null || yawDeg * this.#aside.yawDeg < 0 || off(yawDeg) < off(this.#aside.yawDeg);
  }
}

/** Depth from the nose's offset: divides by the offset that a depth of 1 has between the two angles. */
function depthOf(
  { offset, agreement }: NoseRelief,
  reference: Reference,
  yawDeg: number,
): Omit<ReliefSample, 'widthKept'> {
  const [from, to] = [radians(reference.yawDeg), radians(yawDeg)];
  return { depth: offset / (Math.sin(to) - Math.tan(from) * Math.cos(to)), agreement };
}

function keep({ landmarks, reliefChip, pose }: FaceAnalysis, before: Reference | null): Reference {
  wipe(before);
  return { landmarks: landmarks.slice(), reliefChip: reliefChip.slice(), yawDeg: pose.yawDeg };
}

function wipe(reference: Reference | null): void {
  reference?.landmarks.fill(0);
  reference?.reliefChip.fill(0);
}

/** Shape over all frames of a turn, from the median of each measure, so that no single frame decides. */
export function shapeOf(samples: readonly ReliefSample[], policy: ReliefPolicy): 'head' | 'flat' | 'narrowed' {
  const depth = median(samples.map((sample) => sample.depth));
  if (samples.length < policy.minFrames || !(depth >= policy.minDepth)) return 'flat';
  if (depth >= policy.surelyDeep) return 'head';
  return median(samples.map(({ widthKept }) => widthKept)) >= policy.minWidthKept ? 'head' : 'narrowed';
}

/** For an even count the lower of the two middle values; NaN sorts lowest. */
function median(values: readonly number[]): number {
  const sorted = values.map((value) => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value)).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
