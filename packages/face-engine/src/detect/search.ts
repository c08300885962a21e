import type { CoreImage } from '@svc/core';
import type { Box, Detection } from '../types.ts';
import { type BlazeFaceDetector, iou } from './detector.ts';

/** Minimum longer side in pixels for tiles: in smaller images a tile shows no face better. */
const minSideForTiles = 640;
/** Padding around frames that a face fills, in frames: detectors expect some background around a face. */
const padding = 0.5;
/** Detections with a larger overlap are one face, even from different detectors. */
const sameFaceIou = 0.4;

/** True if two detections are certainly of one face. */
export function isSameFace(a: Detection, b: Detection): boolean {
  return iou(a.box, b.box) > sameFaceIou;
}

/**
 * Short-range score from which the full-range detector is not asked: near faces score at least 0.83, false detections
 * 0.5 to 0.8.
 */
const confidentScore = 0.8;

/** The detector methods that the search uses. */
export type Detector = Pick<BlazeFaceDetector, 'detect' | 'dispose'>;

/** Searches an image for faces, from the cheapest step to the most thorough. */
export class FaceSearch {
  readonly #near: Detector;
  readonly #far: Detector;

  constructor(near: Detector, far: Detector) {
    this.#near = near;
    this.#far = far;
  }

  /** For video: the short-range detector, plus the full-range one if the former is not confident. */
  async quick(image: CoreImage): Promise<readonly Detection[]> {
    const near = await this.#near.detect(image);
    if ((near[0]?.score ?? 0) >= confidentScore) return near;
    return distinct([...(await this.#far.detect(image)), ...near]);
  }

  /**
   * For stills: rounds to try until one holds a face. First the whole frame by both detectors, and padded by the
   * short-range one for a face that fills it; otherwise a picture on the wall could be taken for the only face. Then
   * overlapping tiles of half the size, for small faces in a large photo.
   *
   * A round may hold several detections of one face: if one is not confirmed, another may be.
   */
  async *rounds(image: CoreImage): AsyncGenerator<readonly Detection[], void, void> {
    const padded = grown({ x: 0, y: 0, width: image.width, height: image.height }, padding);
    yield [
      ...(await this.#far.detect(image)),
      ...(await this.#near.detect(image)),
      ...(await this.#near.detect(image, padded)),
    ];
    if (Math.max(image.width, image.height) < minSideForTiles) return;
    const found: Detection[] = [];
    for (const tile of tilesOf(image)) found.push(...(await this.#far.detect(image, tile)));
    yield found;
  }

  dispose(): void {
    this.#near.dispose();
    this.#far.dispose();
  }
}

/** Drops detections that overlap one already kept; earlier ones win. */
function distinct(detections: readonly Detection[]): Detection[] {
  const kept: Detection[] = [];
  for (const detection of detections) if (!kept.some((other) => isSameFace(other, detection))) kept.push(detection);
  return kept;
}

function grown(box: Box, share: number): Box {
  const width = box.width * share;
  const height = box.height * share;
  return { x: box.x - width / 2, y: box.y - height / 2, width: box.width + width, height: box.height + height };
}

/**
 * Square tiles of half the longer side, overlapping by half: every face of up to a quarter of that side is whole in
 * one.
 */
export function tilesOf(image: { readonly width: number; readonly height: number }): Box[] {
  const side = Math.max(image.width, image.height) / 2;
  const starts = (length: number): number[] => {
    if (length <= side) return [(length - side) / 2];
    const count = Math.ceil((length - side) / (side / 2)) + 1;
    return Array.from({ length: count }, (_, i) => ((length - side) * i) / (count - 1));
  };
  return starts(image.height).flatMap((y) => starts(image.width).map((x) => ({ x, y, width: side, height: side })));
}
