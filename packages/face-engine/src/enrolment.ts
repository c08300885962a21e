import type { FaceLimits } from '@svc/face-models';
import { iou, isSameFace } from './detect/detector.ts';
import type { Detection, EngineImage, EnrolReason, EnrolResult, FaceAnalyser, FaceAnalysis } from './types.ts';

/** Wipes an analysis' biometric data: its landmarks and the picture of the face. Idempotent. */
export function wipeAnalysis(face: Pick<FaceAnalysis, 'landmarks' | 'reliefChip'>): void {
  face.landmarks.fill(0);
  face.reliefChip.fill(0);
}

/**
 * A second face counts if it has at least this share of the main face's width: smaller ones are pictures or far behind.
 */
export const secondFaceWidth = 1 / 3;

/** A refused enrolment with its reason. */
export type EnrolRefusal = Extract<EnrolResult, { ok: false }>;

/** Mesh boxes with a larger overlap are one face. */
const sameFaceIou = 0.3;

/** All confirmed faces of a frame, each once, widest first. The caller wipes them. */
export function facesIn(
  analyser: Pick<FaceAnalyser, 'detect' | 'analyse'>,
  image: EngineImage,
): Promise<FaceAnalysis[]> {
  async function* onlyRound() {
    yield await analyser.detect(image);
  }
  return confirmedFaces(onlyRound(), (detection) => analyser.analyse(image, detection));
}

export interface EnrolmentStages {
  /** The engine's quality limits for references. Measured in docs/internals/face-engine.md. */
  readonly limits: FaceLimits;
  /** Rounds of detections, from cheap to thorough; the first round with a face decides. */
  readonly rounds: AsyncIterable<readonly Detection[]>;
  readonly analyse: (detection: Detection) => Promise<FaceAnalysis | null>;
  readonly embed: (face: FaceAnalysis) => Promise<Float32Array>;
}

/**
 * Enrols exactly one face: large, frontal, lit, sharp and uncovered. Only such a face is embedded and its analysis
 * returned; all others are wiped, also on errors.
 */
export async function enrolOne({ limits, rounds, analyse, embed }: EnrolmentStages): Promise<EnrolResult> {
  const faces = await confirmedFaces(rounds, analyse);
  const [main] = faces;
  const refusal = refusalOf(faces, limits);
  let enrolled: FaceAnalysis | null = null;
  try {
    if (main === undefined || refusal !== null) return refusal ?? { ok: false, reason: 'no-face' };
    const reference = await embed(main);
    enrolled = main;
    return { ok: true, reference, analysis: main };
  } finally {
    for (const face of faces) if (face !== enrolled) wipeAnalysis(face);
  }
}

/**
 * The reason why a picture with these faces cannot be enrolled, or null. Reports the first reason in the order in which
 * a person would fix them.
 * @param faces widest first
 * @param limits the engine's, or stricter ones for a preview of the picture
 */
export function refusalOf(
  faces: readonly Pick<FaceAnalysis, 'quality' | 'pose'>[],
  limits: FaceLimits,
): EnrolRefusal | null {
  const [main] = faces;
  if (main === undefined) return { ok: false, reason: 'no-face' };
  const counted = faces.filter((face) => face.quality.faceWidthPx >= main.quality.faceWidthPx * secondFaceWidth);
  if (counted.length > 1) return refuse('several-faces', counted.length, 1);
  const { quality, pose } = main;
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

// Negated comparisons, so that NaN is refused.
const atLeast = (reason: EnrolReason, measured: number, limit: number): EnrolRefusal | null =>
  !(measured >= limit) ? refuse(reason, measured, limit) : null;
const atMost = (reason: EnrolReason, measured: number, limit: number): EnrolRefusal | null =>
  !(measured <= limit) ? refuse(reason, measured, limit) : null;

function refuse(reason: EnrolReason, measured: number, limit: number): EnrolRefusal {
  return { ok: false, reason, measured, limit };
}

/** Confirmed faces of the first round that has one, widest first. */
async function confirmedFaces(
  rounds: EnrolmentStages['rounds'],
  analyse: EnrolmentStages['analyse'],
): Promise<FaceAnalysis[]> {
  for await (const detections of rounds) {
    const confirmed: { readonly detection: Detection; readonly face: FaceAnalysis }[] = [];
    try {
      for (const detection of detections) {
        if (confirmed.some((other) => isSameFace(other.detection, detection))) continue;
        const face = await analyse(detection);
        if (face === null) continue;
        if (confirmed.some((other) => iou(other.face.box, face.box) > sameFaceIou)) wipeAnalysis(face);
        else confirmed.push({ detection, face });
      }
    } catch (cause) {
      for (const { face } of confirmed) wipeAnalysis(face);
      throw cause;
    }
    if (confirmed.length > 0) {
      return confirmed.map(({ face }) => face).sort((a, b) => b.quality.faceWidthPx - a.quality.faceWidthPx);
    }
  }
  return [];
}
