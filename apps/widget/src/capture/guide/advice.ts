import type { PixelImage } from '@svc/core';
import { type EnrolReason, type FaceAnalysis, type FaceLimits, refusalOf, strictestLimits } from '@svc/face-engine';
import type { FaceBox, Guidance, Hint, PhotoReview } from '../../ports.ts';
import { placeLimits } from './place.ts';

/**
 * Limits for a good face in the guidance: stricter than enrolment's, because the photo differs from the frame that was
 * analysed: it is taken later, at another size, and compressed as JPEG.
 */
export const guidanceLimits = {
  yawDeg: strictestLimits.yawDeg / 2,
  // Phones are held below the eyes.
  pitchDeg: (strictestLimits.pitchDeg * 5) / 6,
  // Applies to the face. A higher limit would ask people with dark skin for more light in good light.
  brightness: strictestLimits.brightness * 1.5,
  overexposed: strictestLimits.overexposed / 2,
  sharpness: strictestLimits.sharpness * 1.25,
  coverage: (strictestLimits.coverage + 1) / 2,
} as const satisfies Omit<FaceLimits, 'interEyePx'>;

/**
 * Limits for a photo that is about to be sent: a little stricter than enrolment's, because another program decodes the
 * JPEG there.
 */
export const photoLimits = {
  interEyePx: strictestLimits.interEyePx * 1.05,
  yawDeg: strictestLimits.yawDeg * 0.95,
  pitchDeg: strictestLimits.pitchDeg * 0.95,
  brightness: strictestLimits.brightness * 1.05,
  overexposed: strictestLimits.overexposed * 0.95,
  sharpness: strictestLimits.sharpness * 1.05,
  coverage: strictestLimits.coverage + (1 - strictestLimits.coverage) / 10,
} as const satisfies FaceLimits;

/** Mean luma below which a frame without a face counts as too dark. */
const DARK_FRAME = 0.08;

/** Every 97th pixel is sampled. */
const STEP = 97;

/** Mean luma (Rec. 601) of a frame, 0..1. Tells that it is too dark if no face is found. */
export function lightOf({ data, channels }: PixelImage): number {
  let sum = 0;
  let count = 0;
  for (let at = 0; at + 2 < data.length; at += STEP * channels) {
    sum += 77 * (data[at] ?? 0) + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0);
    count += 1;
  }
  return count === 0 ? 0 : sum / (count * 256 * 255);
}

/** Result of the engine for one frame. */
export interface Sight {
  /** Of the frame, in pixels. */
  readonly width: number;
  /** Of the frame, in pixels. */
  readonly height: number;
  /** Mean luma of the frame, 0..1. */
  readonly light: number;
  /** Widest first. */
  readonly faces: readonly Pick<FaceAnalysis, 'box' | 'pose' | 'quality'>[];
}

/** The hint for each reason for which the service would refuse the photo. */
const hints: Readonly<Record<EnrolReason, Hint>> = {
  'no-face': 'no-face',
  'several-faces': 'several-faces',
  'face-too-small': 'come-closer',
  'turned-away': 'look-straight',
  'too-dark': 'more-light',
  'too-bright': 'less-light',
  blurred: 'hold-still',
  covered: 'uncover',
};

/** Reasons checked before the face's position. All others are checked after it. */
const beforePlace: readonly EnrolReason[] = ['no-face', 'several-faces', 'face-too-small'];

/** The guidance of one frame; {@link Steadiness} adds how long it has held. */
export type Advice = Omit<Guidance, 'held'>;

/** The first hint in the order in which a person would correct things. */
export function adviceOf(sight: Sight): Advice {
  const [main] = sight.faces;
  if (main === undefined) return { hint: sight.light < DARK_FRAME ? 'more-light' : 'no-face', face: null };
  const side = Math.min(sight.width, sight.height);
  const { interEye, interEyeOfEnrolment } = placeLimits;
  const interEyePx = Math.max(interEye * side, interEyeOfEnrolment * strictestLimits.interEyePx);
  const reason = refusalOf(sight.faces, { ...guidanceLimits, interEyePx })?.reason ?? null;
  const ofQuality = reason === null ? null : hints[reason];
  const isFirst = reason !== null && beforePlace.includes(reason);
  return { hint: isFirst ? ofQuality : (placeHint(main, sight) ?? ofQuality), face: fractionOf(main, sight) };
}

/** The service's probable answer to a photo of these faces. Where the face is in the picture makes no difference. */
export function reviewOf(sight: Sight): PhotoReview {
  return {
    flaw: refusalOf(sight.faces, photoLimits)?.reason ?? null,
    faces: sight.faces.map((face) => fractionOf(face, sight)),
  };
}

const fractionOf = ({ box }: Sight['faces'][number], { width, height }: Sight): FaceBox => ({
  x: box.x / width,
  y: box.y / height,
  width: box.width / width,
  height: box.height / height,
});

function placeHint({ box, quality }: Sight['faces'][number], { width, height }: Sight): Hint | null {
  if (quality.faceWidthPx > placeLimits.faceWidth * Math.min(width, height)) return 'step-back';
  const across = Math.abs(box.x + box.width / 2 - width / 2) / width;
  const down = Math.abs(box.y + box.height / 2 - height / 2) / height;
  return across > placeLimits.offCentre.x || down > placeLimits.offCentre.y ? 'centre' : null;
}
