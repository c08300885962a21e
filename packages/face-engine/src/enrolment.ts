import { iou } from './detect/nms.ts';
import { isSameFace } from './detect/search.ts';
import type { Detection, EnrolReason, EnrolResult, FaceAnalysis } from './types.ts';

/** What a photo must have to make a reference. How each was measured: docs/face-engine.md. */
export const enrolmentLimits = {
  /** Least distance of the eye centres, pixels. */
  interEyePx: 24,
  /** A second face counts from this share of the main one's width: smaller ones hang on a wall or stand far behind. */
  secondFaceWidth: 1 / 3,
  /** Most turn to either side, degrees. */
  yawDeg: 30,
  /** Most turn up or down, degrees. */
  pitchDeg: 30,
  /** Least mean luma. */
  brightness: 0.08,
  /** Most burnt-out share. */
  overexposed: 0.4,
  /** Least sharpness. */
  sharpness: 0.2,
  /** Least share of the face in the frame and uncovered. */
  coverage: 0.9,
} as const;

type EnrolRefusal = Extract<EnrolResult, { ok: false }>;

/** Mesh boxes that overlap more than this are one face's. */
const sameFaceIou = 0.3;

export interface EnrolmentStages {
  /** Detections, from cheap to thorough; the first round with a face decides. */
  readonly rounds: AsyncIterable<readonly Detection[]>;
  readonly analyse: (detection: Detection) => Promise<FaceAnalysis | null>;
  readonly embed: (face: FaceAnalysis) => Promise<Float32Array>;
}

/** The rules of enrolment: exactly one face, large, frontal, lit, sharp and uncovered. Only such a face is embedded. */
export async function enrolOne({ rounds, analyse, embed }: EnrolmentStages): Promise<EnrolResult> {
  const faces = await confirmedFaces(rounds, analyse);
  const main = faces[0];
  if (main === undefined) return { ok: false, reason: 'no-face' };
  const counted = faces.filter(
    (face) => face.quality.faceWidthPx >= main.quality.faceWidthPx * enrolmentLimits.secondFaceWidth,
  );
  const refusal = counted.length > 1 ? refuse('several-faces', counted.length, 1) : refusalOf(main);
  for (const face of faces) if (face !== main || refusal !== null) face.landmarks.fill(0);
  return refusal ?? { ok: true, reference: await embed(main), analysis: main };
}

/** Why a face cannot be enrolled, or null when it can. The first reason in the order in which a person would put it right. */
export function refusalOf({ quality, pose }: FaceAnalysis): EnrolRefusal | null {
  const limits = enrolmentLimits;
  return (
    atLeast('face-too-small', quality.interEyePx, limits.interEyePx) ??
    atMost('turned-away', Math.abs(pose.yawDeg), limits.yawDeg) ??
    atMost('turned-away', Math.abs(pose.pitchDeg), limits.pitchDeg) ??
    atLeast('too-dark', quality.brightness, limits.brightness) ??
    atMost('too-bright', quality.overexposed, limits.overexposed) ??
    atLeast('blurred', quality.sharpness, limits.sharpness) ??
    atLeast('covered', quality.coverage, limits.coverage)
  );
}

// Negated comparisons, so that what is not a number is refused.
const atLeast = (reason: EnrolReason, measured: number, limit: number): EnrolRefusal | null =>
  !(measured >= limit) ? refuse(reason, measured, limit) : null;
const atMost = (reason: EnrolReason, measured: number, limit: number): EnrolRefusal | null =>
  !(measured <= limit) ? refuse(reason, measured, limit) : null;

function refuse(reason: EnrolReason, measured: number, limit: number): EnrolRefusal {
  return { ok: false, reason, measured, limit };
}

/** Confirmed faces of the first round that has any, widest first. */
async function confirmedFaces(
  rounds: EnrolmentStages['rounds'],
  analyse: EnrolmentStages['analyse'],
): Promise<FaceAnalysis[]> {
  for await (const detections of rounds) {
    const confirmed: { readonly detection: Detection; readonly face: FaceAnalysis }[] = [];
    for (const detection of detections) {
      if (confirmed.some((other) => isSameFace(other.detection, detection))) continue;
      const face = await analyse(detection);
      if (face === null) continue;
      if (confirmed.some((other) => iou(other.face.box, face.box) > sameFaceIou)) face.landmarks.fill(0);
      else confirmed.push({ detection, face });
    }
    if (confirmed.length > 0) {
      return confirmed.map(({ face }) => face).sort((a, b) => b.quality.faceWidthPx - a.quality.faceWidthPx);
    }
  }
  return [];
}
