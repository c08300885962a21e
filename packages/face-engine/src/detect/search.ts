import type { CoreImage } from '@svc/core';
import type { Box, Detection } from '../types.ts';
import { type BlazeFaceDetector, iou } from './detector.ts';

/** Images shorter than this on their longer side have no room for faces that a tile would show better, pixels. */
const minSideForTiles = 640;
/** How far the frame is grown for faces that fill it, in frames: detectors know faces with something around them. */
const padding = 0.5;
/** Detections that overlap more than this are one face's, whichever detector they come from. */
const sameFaceIou = 0.4;

/** True when two detections are surely of one face. */
export function isSameFace(a: Detection, b: Detection): boolean {
  return iou(a.box, b.box) > sameFaceIou;
}

/**
 * Short-range score from which on no other opinion is asked: near faces score 0.83 and more, its mistakes 0.5 to 0.8.
 */
const confidentScore = 0.8;

/** What the search needs of a detector. */
export type Detector = Pick<BlazeFaceDetector, 'detect' | 'dispose'>;

/** Where and with which detector a picture is searched, from cheap to thorough. */
export class FaceSearch {
  readonly #near: Detector;
  readonly #far: Detector;

  constructor(near: Detector, far: Detector) {
    this.#near = near;
    this.#far = far;
  }

  /** For video: the short-range detector, and the full-range one too where that is not confident. */
  async quick(image: CoreImage): Promise<readonly Detection[]> {
    const near = await this.#near.detect(image);
    if ((near[0]?.score ?? 0) >= confidentScore) return near;
    return distinct([...(await this.#far.detect(image)), ...near]);
  }

  /**
   * For stills, rounds to be gone through until one holds a face. First the whole frame by both detectors, and by the
   * short-range one padded, for a face that fills it: else a picture on the wall behind would pass for the only face.
   * Then overlapping tiles of half the size, for small faces in a large photo.
   *
   * A round may hold several detections of one face: where one of them is not surely a face, another may be.
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

/** Without what overlaps a detection that is kept already, earlier ones first. */
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

/** Squares of half the longer side, half overlapping, so that every face of up to a quarter of it lies whole in one. */
export function tilesOf(image: { readonly width: number; readonly height: number }): Box[] {
  const side = Math.max(image.width, image.height) / 2;
  const starts = (length: number): number[] => {
    if (length <= side) return [(length - side) / 2];
    const count = Math.ceil((length - side) / (side / 2)) + 1;
    return Array.from({ length: count }, (_, i) => ((length - side) * i) / (count - 1));
  };
  return starts(image.height).flatMap((y) => starts(image.width).map((x) => ({ x, y, width: side, height: side })));
}
