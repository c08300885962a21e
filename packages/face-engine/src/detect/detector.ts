import type { CoreImage } from '@svc/core';
import type { ModelSession } from '../session.ts';
import type { Box, Detection, Point } from '../types.ts';

/** Intersection over union of two boxes, 0 to 1. */
export function iou(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const intersection = width * height;
  return intersection / (a.width * a.height + b.width * b.height - intersection);
}

/**
 * Weighted non-maximum suppression (Bazarevsky et al. 2019, 3.3): candidates that overlap the best one by more than
 * `minIou` are averaged into it by score, not dropped, which stabilises boxes between frames. Best first.
 */
export function weightedNms(candidates: readonly Detection[], minIou = 0.3): Detection[] {
  let rest = [...candidates].sort((a, b) => b.score - a.score);
  const kept: Detection[] = [];
  while (rest[0] !== undefined) {
    const best = rest[0];
    const same = rest.filter((d) => d === best || iou(d.box, best.box) > minIou);
    kept.push(blend(best, same));
    rest = rest.filter((d) => !same.includes(d));
  }
  return kept;
}

function blend(best: Detection, same: readonly Detection[]): Detection {
  if (same.length === 1) return best;
  const total = same.reduce((sum, d) => sum + d.score, 0);
  const mean = (value: (d: Detection) => number): number =>
    same.reduce((sum, d) => sum + value(d) * d.score, 0) / total;
  return {
    box: {
      x: mean((d) => d.box.x),
      y: mean((d) => d.box.y),
      width: mean((d) => d.box.width),
      height: mean((d) => d.box.height),
    },
    keypoints: best.keypoints.map(
      (_, k): Point => ({ x: mean((d) => d.keypoints[k]?.x ?? 0), y: mean((d) => d.keypoints[k]?.y ?? 0) }),
    ),
    score: best.score,
  };
}

/** Geometry of a BlazeFace variant: square input, anchors of size one centred in grid cells. */
export interface BlazeFaceSpec {
  readonly size: number;
  /** Grid cells per side and anchors per cell, in the order of the model's output. */
  readonly grids: readonly { readonly cells: number; readonly anchors: number }[];
  /** Minimum score of a candidate, 0 to 1. */
  readonly minScore: number;
}

/** BlazeFace short range: faces within about two metres of a phone camera. */
export const shortRange: BlazeFaceSpec = {
  size: 128,
  grids: [
    { cells: 16, anchors: 2 },
    { cells: 8, anchors: 6 },
  ],
  minScore: 0.5,
};

/** BlazeFace full range: smaller faces, up to about five metres. */
export const fullRange: BlazeFaceSpec = { size: 192, grids: [{ cells: 48, anchors: 1 }], minScore: 0.5 };

const valuesPerAnchor = 16;
const keypointCount = 6;

/** Centres of all anchors as x, y pairs, 0 to 1. */
export function anchorCentres(spec: BlazeFaceSpec): Float32Array {
  const centres: number[] = [];
  for (const { cells, anchors } of spec.grids) {
    for (let y = 0; y < cells; y++) {
      for (let x = 0; x < cells; x++) {
        for (let k = 0; k < anchors; k++) centres.push((x + 0.5) / cells, (y + 0.5) / cells);
      }
    }
  }
  return Float32Array.from(centres);
}

/** One BlazeFace model (Bazarevsky et al. 2019) with its decoding. */
export class BlazeFaceDetector {
  readonly #spec: BlazeFaceSpec;
  readonly #session: ModelSession;
  readonly #centres: Float32Array;

  constructor(spec: BlazeFaceSpec, session: ModelSession) {
    this.#spec = spec;
    this.#session = session;
    this.#centres = anchorCentres(spec);
  }

  /** Detections in a region of the image (default: all of it), letterboxed to the model's square input; best first. */
  async detect(image: CoreImage, region?: Box, minScore = this.#spec.minScore): Promise<Detection[]> {
    const { size } = this.#spec;
    const area = region ?? { x: 0, y: 0, width: image.width, height: image.height };
    const scale = Math.max(area.width, area.height) / size;
    const left = area.x + area.width / 2 - (scale * size) / 2;
    const top = area.y + area.height / 2 - (scale * size) / 2;
    const transform = { a: scale, b: 0, c: left, d: 0, e: scale, f: top };
    const candidates = await this.#session.infer(
      (input) => image.warpToFloat(transform, size, size, { scale: 1 / 127.5, offset: -1, out: input }),
      (model) => {
        const first = model.output(0);
        const second = model.output(1);
        const [scores, values] = first.length < second.length ? [first, second] : [second, first];
        return this.#decode(scores, values, minScore, (x, y) => ({ x: left + x * scale, y: top + y * scale }));
      },
    );
    return weightedNms(candidates);
  }

  dispose(): void {
    this.#session.dispose();
  }

  #decode(
    scores: Float32Array,
    values: Float32Array,
    minScore: number,
    toSource: (x: number, y: number) => Point,
  ): Detection[] {
    const { size } = this.#spec;
    const minLogit = Math.log(minScore / (1 - minScore));
    const found: Detection[] = [];
    for (let i = 0; i < scores.length; i++) {
      const logit = scores[i] ?? Number.NEGATIVE_INFINITY;
      if (!(logit >= minLogit)) continue;
      const anchorX = (this.#centres[2 * i] ?? 0) * size;
      const anchorY = (this.#centres[2 * i + 1] ?? 0) * size;
      const at = (k: number): number => values[i * valuesPerAnchor + k] ?? 0;
      const width = at(2);
      const height = at(3);
      const corner = toSource(anchorX + at(0) - width / 2, anchorY + at(1) - height / 2);
      const opposite = toSource(anchorX + at(0) + width / 2, anchorY + at(1) + height / 2);
      found.push({
        box: { ...corner, width: opposite.x - corner.x, height: opposite.y - corner.y },
        keypoints: Array.from({ length: keypointCount }, (_, k) =>
          toSource(anchorX + at(4 + 2 * k), anchorY + at(5 + 2 * k)),
        ),
        score: 1 / (1 + Math.exp(-logit)),
      });
    }
    return found;
  }
}

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
