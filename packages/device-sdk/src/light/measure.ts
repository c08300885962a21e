import type { PixelImage } from '@svc/core';
import type { Box, FaceAnalysis } from '@svc/face-engine';
import { contrastOf, type LinearColour, meanColour } from './colours.ts';
import { STANDARD_LIGHT_POLICY as policy } from './policy.ts';

/**
 * Mesh points in the middle of each region, in order, and the region's width and height relative to the face's width.
 */
const patches = [
  { point: 151, width: 0.3, height: 0.1 },
  { point: 205, width: 0.13, height: 0.13 },
  { point: 425, width: 0.13, height: 0.13 },
  { point: 5, width: 0.1, height: 0.14 },
  { point: 199, width: 0.16, height: 0.08 },
] as const;

/** Maximum shift of the face's centre from where the sequence found it, relative to the face's width. */
const swayShare = 0.3;

/** Mesh points around the places of contrast, in order, and the margin above and below relative to the face's width. */
const places = [
  { around: [33, 133, 159, 145], margin: 0.01 },
  { around: [263, 362, 386, 374], margin: 0.01 },
  { around: [61, 291, 0, 17], margin: 0.02 },
] as const;

/**
 * Background box beside the head, outside ears and hair, at the height of the upper face, above the shoulders. Relative
 * to the face's width and height.
 */
const beside = { from: 0.4, to: 0.9, least: 0.12, above: 0.1, below: 0.5 } as const;

/**
 * Mean colours of one frame. Keeps neither picture nor landmarks.
 * @param anchor the face's box in the sequence's first frame: the background is measured beside it, so that a swaying
 *   head does not change the background
 */
export function measureLight(image: PixelImage, face: FaceAnalysis, atMs: number, anchor: Box = face.box): LightSample {
  let clipped = 0;
  const regions = patches.map(({ point, width, height }) => {
    const w = face.box.width * width;
    const h = face.box.width * height;
    const x = (face.landmarks[point * 3] ?? 0) - w / 2;
    const y = (face.landmarks[point * 3 + 1] ?? 0) - h / 2;
    const box = { x, y, width: w, height: h };
    if (!isInside(box, image)) return null;
    const mean = meanColour(image, box);
    clipped += mean.clipped / patches.length;
    return mean.clipped > policy.maxClippedShare ? null : mean.linear;
  });
  return {
    atMs,
    regions,
    contrasts: places.map(({ around, margin }) => {
      const box = boxAround(face.landmarks, around, margin * face.box.width);
      return isInside(box, image) ? contrastOf(image, box) : null;
    }),
    background: isNear(face.box, anchor) ? backgroundOf(image, anchor) : null,
    faceShare: face.box.width / image.width,
    clipped,
    frontal: Math.abs(face.pose.yawDeg) <= policy.frontalYawDeg,
  };
}

const isNear = (box: Box, anchor: Box): boolean =>
  Math.abs(box.x + box.width / 2 - anchor.x - anchor.width / 2) <= swayShare * anchor.width &&
  Math.abs(box.y + box.height / 2 - anchor.y - anchor.height / 2) <= swayShare * anchor.height;

const isInside = ({ x, y, width, height }: Box, image: PixelImage): boolean =>
  x >= 0 && y >= 0 && x + width <= image.width && y + height <= image.height;

function boxAround(landmarks: Float32Array, points: readonly number[], margin: number): Box {
  const xs = points.map((point) => landmarks[point * 3] ?? 0);
  const ys = points.map((point) => landmarks[point * 3 + 1] ?? 0);
  const [x, y] = [Math.min(...xs), Math.min(...ys) - margin];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) + margin - y };
}

function backgroundOf(image: PixelImage, { x, y, width, height }: Box): LinearColour | null {
  const top = Math.max(0, y - beside.above * height);
  const bottom = Math.min(image.height, y + beside.below * height);
  const sides = [
    [Math.max(0, x - beside.to * width), x - beside.from * width],
    [x + (1 + beside.from) * width, Math.min(image.width, x + (1 + beside.to) * width)],
  ] as const;
  const seen: LinearColour[] = [];
  for (const [left, right] of sides) {
    if (right - left < beside.least * width || bottom - top < beside.least * height) continue;
    const mean = meanColour(image, { x: left, y: top, width: right - left, height: bottom - top });
    if (mean.clipped <= policy.maxClippedShare) seen.push(mean.linear);
  }
  const share = 1 / seen.length;
  if (seen.length === 0) return null;
  return seen.reduce<LinearColour>(
    (sum, c) => [sum[0] + c[0] * share, sum[1] + c[1] * share, sum[2] + c[2] * share],
    [0, 0, 0],
  );
}

/** Measured regions of a face; right and left are the person's own. */
export const lightRegions = ['forehead', 'right-cheek', 'left-cheek', 'nose', 'chin'] as const;
export type LightRegion = (typeof lightRegions)[number];

/**
 * Places of a face where dark and bright are adjacent in the same light: iris and white, lips and skin. Not brows: hair
 * has a sheen.
 */
export const contrastPlaces = ['right-eye', 'left-eye', 'mouth'] as const;
export type ContrastPlace = (typeof contrastPlaces)[number];

export interface Contrast {
  readonly dark: LinearColour;
  readonly bright: LinearColour;
}

/** The data kept of a frame: twelve mean colours. */
export interface LightSample {
  /** On the clock of the steps. */
  readonly atMs: number;
  /** In the order of {@link lightRegions}; null if overexposed or out of view. */
  readonly regions: readonly (LinearColour | null)[];
  /** In the order of {@link contrastPlaces}; null if overexposed or out of view. */
  readonly contrasts: readonly (Contrast | null)[];
  /** Mean colour beside the head; null if out of view. */
  readonly background: LinearColour | null;
  /** The face's width over the frame's, which gives its distance. */
  readonly faceShare: number;
  /** Share of the face's measured pixels that are overexposed, 0 to 1. */
  readonly clipped: number;
  /** False if the head looks away from the screen. */
  readonly frontal: boolean;
}
