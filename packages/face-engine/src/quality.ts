import type { AffineTransform, CoreImage } from '@svc/core';
import { chipTransform } from './embed/alignment.ts';
import { interEyeDistance, type Landmarks, landmarkCount, xOf, yOf } from './mesh/landmarks.ts';
import { boundsAlongEyes } from './mesh/mesh.ts';
import type { Quality } from './types.ts';

interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Measured rectangle of the aligned face crop (the chip), pixels: the face ellipse plus a margin for the blur window.
 */
export const measured: Region = { left: 30, top: 16, width: 90, height: 114 };
const pixels = measured.width * measured.height;
const ellipse = { x: 75, y: 73, halfWidth: 40, halfHeight: 52 } as const;
const facePositions = Int32Array.from(
  Array.from({ length: pixels }, (_, i) => i).filter((i) => {
    const x = ((i % measured.width) + measured.left + 0.5 - ellipse.x) / ellipse.halfWidth;
    const y = (Math.floor(i / measured.width) + measured.top + 0.5 - ellipse.y) / ellipse.halfHeight;
    return x * x + y * y <= 1;
  }),
);

/** Positions of the eyes and the mouth on the aligned chip, where an occlusion shows. */
const eyeRegions: readonly Region[] = [
  { left: 34, top: 38, width: 26, height: 16 },
  { left: 87, top: 38, width: 26, height: 16 },
];
const mouthRegion: Region = { left: 52, top: 92, width: 46, height: 20 };
/**
 * Luma variation relative to the face's mean, at or above which an eye (or the mouth, from row to row) is certainly
 * visible.
 */
const visibleEye = 0.075;
const visibleMouth = 0.018;

/** Luma at or above which a pixel counts as overexposed. */
const burntOut = 248;
/** Radius of the blur of Crete et al.: a window of nine pixels. */
const blurRadius = 4;

/**
 * Measures a face's quality on its aligned chip, which the embedding also uses. Reuses scratch memory and wipes it
 * after each call.
 */
export class QualityMeter {
  readonly #luma = new Uint8Array(pixels);

  measure(image: CoreImage, landmarks: Landmarks): Quality {
    const bounds = boundsAlongEyes(landmarks);
    const { width, height } = measured;
    image.warpToLuma(measuredTransform(landmarks), width, height, { fill: 'edge', out: this.#luma });
    try {
      const light = lightOf(this.#luma);
      return {
        faceWidthPx: bounds.maxU - bounds.minU,
        interEyePx: interEyeDistance(landmarks),
        ...light,
        sharpness: sharpnessOf(this.#luma),
        coverage: shareInside(image, landmarks) * visibilityOf(this.#luma, light.brightness * 255),
      };
    } finally {
      this.#luma.fill(0);
    }
  }
}

/** Transform from the measured part of the chip to source pixels. */
function measuredTransform(landmarks: Landmarks): AffineTransform {
  const chip = chipTransform(landmarks);
  const { left, top } = measured;
  return {
    ...chip,
    c: chip.a * left + chip.b * top + chip.c,
    f: chip.d * left + chip.e * top + chip.f,
  };
}

function lightOf(luma: Uint8Array): Pick<Quality, 'brightness' | 'contrast' | 'overexposed'> {
  const count = facePositions.length;
  let sum = 0;
  let squares = 0;
  let burnt = 0;
  for (let i = 0; i < count; i++) {
    const value = luma[facePositions[i] ?? 0] ?? 0;
    sum += value;
    squares += value * value;
    if (value >= burntOut) burnt++;
  }
  const mean = sum / count;
  return {
    brightness: mean / 255,
    contrast: Math.sqrt(Math.max(0, squares / count - mean * mean)) / 255,
    overexposed: burnt / count,
  };
}

/**
 * One minus the perceptual blur metric of Crete, Dolmiere, Ladret and Nicolas (2007): the share of the variation
 * between neighbouring pixels that a strong blur removes. A picture that is already blurred changes little. The worse
 * of the two directions counts, so that motion blur is detected.
 *
 * @param luma of the measured part of an aligned chip, `Uint8Array[114·90]`
 * @returns 0 (flat or entirely blurred) to 1
 */
export function sharpnessOf(luma: Uint8Array): number {
  return Math.min(directionalSharpness(luma, 1), directionalSharpness(luma, measured.width));
}

function directionalSharpness(luma: Uint8Array, step: number): number {
  let variation = 0;
  let lost = 0;
  const taps = 2 * blurRadius + 1;
  for (let i = 0; i < facePositions.length; i++) {
    const at = facePositions[i] ?? 0;
    const here = Math.abs((luma[at] ?? 0) - (luma[at - step] ?? 0));
    // Adjacent nine-pixel means differ by the pixel that enters the window and the one that leaves it.
    const entering = luma[at + blurRadius * step] ?? 0;
    const leaving = luma[at - (blurRadius + 1) * step] ?? 0;
    const blurred = Math.abs(entering - leaving) / taps;
    variation += here;
    if (here > blurred) lost += here - blurred;
  }
  return variation === 0 ? 0 : lost / variation;
}

/**
 * How certainly eyes and mouth are visible, 0 to 1, the worst of the three: dark glasses flatten an eye, a mask or a
 * hand the mouth's lines. Relative to mean luma, so that skin tone and exposure do not affect it.
 */
function visibilityOf(luma: Uint8Array, meanLuma: number): number {
  if (meanLuma <= 0) return 0;
  const eyes = eyeRegions.map((region) => deviation(luma, region) / meanLuma / visibleEye);
  return Math.min(1, ...eyes, rowVariation(luma, mouthRegion) / meanLuma / visibleMouth);
}

/** Index in the measured part of a chip pixel. */
const positionOf = (x: number, y: number): number => (y - measured.top) * measured.width + x - measured.left;

function deviation(luma: Uint8Array, { left, top, width, height }: Region): number {
  let sum = 0;
  let squares = 0;
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) {
      const value = luma[positionOf(x, y)] ?? 0;
      sum += value;
      squares += value * value;
    }
  }
  const count = width * height;
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}

/** Mean absolute difference between each pixel and the one above. */
function rowVariation(luma: Uint8Array, { left, top, width, height }: Region): number {
  let sum = 0;
  for (let y = top + 1; y < top + height; y++) {
    for (let x = left; x < left + width; x++) {
      sum += Math.abs((luma[positionOf(x, y)] ?? 0) - (luma[positionOf(x, y - 1)] ?? 0));
    }
  }
  return sum / (width * (height - 1));
}

/** Share of the mesh points inside the image. */
function shareInside(image: CoreImage, landmarks: Landmarks): number {
  let inside = 0;
  for (let i = 0; i < landmarkCount; i++) {
    const x = xOf(landmarks, i);
    const y = yOf(landmarks, i);
    if (x >= 0 && y >= 0 && x < image.width && y < image.height) inside++;
  }
  return inside / landmarkCount;
}
