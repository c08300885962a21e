import type { FaceAnalysis } from '../types.ts';
import { measureNoseRelief, type NoseRelief, type ReliefFace } from './nose-relief.ts';

/** What the pixels of one turned frame say of the face's shape, against those of a frontal one. */
export interface ReliefSample {
  /**
   * How far the nose stands out of the plane of eyes and mouth, in distances of the eyes: its way out of that plane
   * over the sine of the turn. 0 of a sheet, negative where it went the wrong way.
   */
  readonly depth: number;
  /** Width over height of eyes and mouth, of that from the front. */
  readonly widthKept: number;
  /** How surely the nose was found again, −1..1. */
  readonly agreement: number;
}

/** What the shape of the turned face must be, by the pixels of all turned frames of the turn and of the way back. */
export interface ReliefPolicy {
  /** Frames from this angle on are measured, degrees. */
  readonly fromYawDeg: number;
  /** Correlation of the nose below which a frame says nothing. */
  readonly minAgreement: number;
  /** Measured frames below which nothing is known. */
  readonly minFrames: number;
  /** Median height of the nose over the plane of eyes and mouth, in distances of the eyes. */
  readonly minDepth: number;
  /** Median width over height of eyes and mouth, of that from the front, where the depth is less than `surelyDeep`. */
  readonly minWidthKept: number;
  /**
   * From this median height of the nose on nothing that is a sheet was seen, and the width, which scatters on heads, is
   * not asked.
   */
  readonly surelyDeep: number;
}

type Reference = ReliefFace & { readonly yawDeg: number };

/** Angles in degrees: from `fromYawDeg` on a face is measured, up to `frontalYawDeg` it is frontal. */
export interface ReliefLimits extends Pick<ReliefPolicy, 'fromYawDeg'> {
  readonly frontalYawDeg: number;
}

/**
 * A face that is turned a little is the second reference: what is far aside looks more like it than like the front,
 * most of all a nose that stands out. The one nearest to `yawDeg` is kept, and measured against from `gapDeg` beyond
 * it.
 */
const aside = { yawDeg: 14, fromYawDeg: 8, untilYawDeg: 20, gapDeg: 8 } as const;

const radians = (deg: number): number => (deg * Math.PI) / 180;

/**
 * Measures what shape a face has from how it changes while it turns: each turned frame against the most frontal one of
 * the same track, and against one that is turned a little; the surer of both says how far the nose stands out. They are
 * remembered here alone; `dispose` forgets them, for another face.
 */
export class ReliefMeter {
  readonly #limits: ReliefLimits;
  #front: Reference | null = null;
  #aside: Reference | null = null;

  constructor(limits: ReliefLimits) {
    this.#limits = limits;
  }

  /** @returns null where the face is hardly turned, or too little of it is found again */
  read(face: FaceAnalysis): ReliefSample | null {
    const { yawDeg } = face.pose;
    if (this.#front === null || Math.abs(yawDeg) < Math.abs(this.#front.yawDeg)) this.#front = keep(face, this.#front);
    const front = this.#front;
    const sample = this.#measure(front, face);
    if (this.#isBetterAside(yawDeg)) this.#aside = keep(face, this.#aside);
    return sample;
  }

  /** Wipes what is remembered of the face. */
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

/**
 * From the nose's way aside to how far it stands out: what a turn from the reference's angle to the face's moves by
 * one.
 */
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

/** What all frames of a turn together say: the middle one of each measure, so that no single frame decides. */
export function shapeOf(samples: readonly ReliefSample[], policy: ReliefPolicy): 'head' | 'flat' | 'narrowed' {
  const depth = median(samples.map((sample) => sample.depth));
  if (samples.length < policy.minFrames || !(depth >= policy.minDepth)) return 'flat';
  if (depth >= policy.surelyDeep) return 'head';
  return median(samples.map(({ widthKept }) => widthKept)) >= policy.minWidthKept ? 'head' : 'narrowed';
}

/** Of an even number the lower of the two in the middle; what is no number is the lowest. */
function median(values: readonly number[]): number {
  const sorted = values.map((value) => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value)).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
