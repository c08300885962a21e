import { type FaceAnalysis, measureNoseRelief, type NoseRelief, type ReliefFace } from '@svc/face-engine';
import { STANDARD_POLICY } from '../verification/policy.ts';
import type { ReliefSample } from '../verification/relief.ts';

type Reference = ReliefFace & { readonly yawDeg: number };

/**
 * A face that is turned a little is the second reference: what is far aside looks more like it than like the front, most of all a nose that stands
 * out. The one nearest to `yawDeg` is kept, and measured against from `gapDeg` beyond it.
 */
const aside = { yawDeg: 14, fromYawDeg: 8, untilYawDeg: 20, gapDeg: 8 } as const;

const radians = (deg: number): number => (deg * Math.PI) / 180;

/**
 * Measures what shape a face has from how it changes while it turns: each turned frame against the most frontal one of the same track, and against one that is
 * turned a little; the surer of both says how far the nose stands out. They are remembered here alone; `dispose` forgets them, for another face.
 */
export class ReliefMeter {
  #front: Reference | null = null;
  #aside: Reference | null = null;

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
    if (Math.abs(yawDeg) < STANDARD_POLICY.relief.fromYawDeg) return null;
    if (Math.abs(front.yawDeg) > STANDARD_POLICY.frontalYawDeg) return null;
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

/** From the nose's way aside to how far it stands out: what a turn from the reference's angle to the face's moves by one. */
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
