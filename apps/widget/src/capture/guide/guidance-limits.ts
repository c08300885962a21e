import { type FaceLimits, strictestLimits } from '@svc/face-engine';

/**
 * What a face must have for the guidance to call it good: the service's own limits of enrolment with room to spare, because the photo is another
 * picture than the frame that was looked at, a moment later, in other pixels, as a JPEG.
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
export const placeLimits = {
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
export const DARK_FRAME = 0.08;
