import { type EnrolReason, type FaceAnalysis, refusalOf, strictestLimits } from '@svc/face-engine';
import type { Guidance, Hint } from '../../ports.ts';
import { DARK_FRAME, guidanceLimits, placeLimits } from './guidance-limits.ts';

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

/** Before where the face is comes whether there is one, alone and near; what is said of a face that is out of the picture comes after. */
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
