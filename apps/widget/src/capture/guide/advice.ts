import type { PixelImage } from '@svc/core';
import { type EnrolReason, type FaceAnalysis, type FaceLimits, refusalOf, strictestLimits } from '@svc/face-engine';
import type { Guidance, Hint } from '../../ports.ts';

/**
 * What a face must have for the guidance to call it good: the service's own limits of enrolment with room to spare,
 * because the photo is another picture than the frame that was looked at, a moment later, in other pixels, as a JPEG.
 */
export const guidanceLimits = {
  yawDeg: strictestLimits.yawDeg / 2,
  // A phone is held below the eyes.
  pitchDeg: (strictestLimits.pitchDeg * 5) / 6,
  // Of the face: more would tell people of dark skin in good light to look for more of it.
  brightness: strictestLimits.brightness * 1.5,
  overexposed: strictestLimits.overexposed / 2,
  sharpness: strictestLimits.sharpness * 1.25,
  coverage: (strictestLimits.coverage + 1) / 2,
} as const satisfies Omit<FaceLimits, 'interEyePx'>;

/** Where in the picture the face shall be, in shares of its shorter side unless said otherwise. */
const placeLimits = {
  /** Least distance of the eye centres: the face is then a quarter of the side wide. */
  interEye: 0.11,
  /** Least distance of the eye centres, in enrolment's own limit of pixels: a camera may have few. */
  interEyeOfEnrolment: 1.25,
  /** Most width of the face: lenses draw nearer ones out of shape. */
  faceWidth: 0.75,
  /** Most distance of the face's centre from the picture's, in shares of the picture's width and height. */
  offCentre: { x: 0.2, y: 0.2 },
} as const;

/** Mean luma of a frame below which it is the light that is missing where no face was found. */
const DARK_FRAME = 0.08;

/** Every so many pixels one is looked at. */
const STEP = 97;

/**
 * Mean luma (Rec. 601) of a frame, 0..1: where there is too little light for a face to be found, it is known by this
 * alone.
 */
export function lightOf({ data, channels }: PixelImage): number {
  let sum = 0;
  let count = 0;
  for (let at = 0; at + 2 < data.length; at += STEP * channels) {
    sum += 77 * (data[at] ?? 0) + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0);
    count += 1;
  }
  return count === 0 ? 0 : sum / (count * 256 * 255);
}

/** What the engine saw in a frame. */
export interface Sight {
  /** Of the frame, pixels. */
  readonly width: number;
  /** Of the frame, pixels. */
  readonly height: number;
  /** Mean luma of the frame, 0..1. */
  readonly light: number;
  /** Widest first. */
  readonly faces: readonly Pick<FaceAnalysis, 'box' | 'pose' | 'quality'>[];
}

/** What a guest does about each reason for which the service would refuse the photo. */
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

/**
 * Before where the face is comes whether there is one, alone and near; what is said of a face that is out of the
 * picture comes after.
 */
const beforePlace: readonly EnrolReason[] = ['no-face', 'several-faces', 'face-too-small'];

/** What a guest can do better: the first thing in the order in which a person would put it right. */
export function adviceOf(sight: Sight): Guidance {
  const [main] = sight.faces;
  if (main === undefined) return { hint: sight.light < DARK_FRAME ? 'more-light' : 'no-face', face: null };
  const side = Math.min(sight.width, sight.height);
  const { interEye, interEyeOfEnrolment } = placeLimits;
  const interEyePx = Math.max(interEye * side, interEyeOfEnrolment * strictestLimits.interEyePx);
  const reason = refusalOf(sight.faces, { ...guidanceLimits, interEyePx })?.reason ?? null;
  const ofQuality = reason === null ? null : hints[reason];
  const isFirst = reason !== null && beforePlace.includes(reason);
  const { x, y, width, height } = main.box;
  return {
    hint: isFirst ? ofQuality : (placeHint(main, sight) ?? ofQuality),
    face: { x: x / sight.width, y: y / sight.height, width: width / sight.width, height: height / sight.height },
  };
}

function placeHint({ box, quality }: Sight['faces'][number], { width, height }: Sight): Hint | null {
  if (quality.faceWidthPx > placeLimits.faceWidth * Math.min(width, height)) return 'step-back';
  const across = Math.abs(box.x + box.width / 2 - width / 2) / width;
  const down = Math.abs(box.y + box.height / 2 - height / 2) / height;
  return across > placeLimits.offCentre.x || down > placeLimits.offCentre.y ? 'centre' : null;
}
