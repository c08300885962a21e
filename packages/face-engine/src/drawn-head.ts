import type { PixelImage } from '@svc/core';
import { goldenInput } from '@svc/face-models';

/** A head to draw. */
export interface DrawnHead {
  readonly seed?: number;
  /** Left, top and side of the square with head and shoulders, pixels. */
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

/**
 * A frame with drawn heads that detector and mesh accept as faces: the golden outputs' picture, at any place and size.
 * Nobody's face, and the same pixels everywhere.
 */
export function frameWithHeads(width: number, height: number, heads: readonly DrawnHead[]): PixelImage {
  const data = new Uint8Array(width * height * 3).fill(140);
  for (const { seed = 3, left, top, side } of heads) {
    const picture = goldenInput({
      name: 'face-mesh',
      inputs: [{ name: 'picture', shape: [1, side, side, 3], type: 'float32', range: [0, 255] }],
      golden: { inputSeed: seed, faceHeight: 0.6 },
    });
    for (let y = 0; y < side; y++) {
      data.set(picture.subarray(y * side * 3, (y + 1) * side * 3), ((top + y) * width + left) * 3);
    }
  }
  return { data, width, height, channels: 3 };
}

/** One drawn head that passes enrolment. */
export const oneHead = (): PixelImage => frameWithHeads(480, 480, [{ left: 0, top: 0, side: 480 }]);

/** An empty frame. */
export const emptyFrame = (): PixelImage => frameWithHeads(480, 360, []);

let trial: PixelImage | null = null;

/**
 * A camera's frame of 640 × 480 with one drawn head at an arm's length, for trying an engine: it is tracked, scored and
 * embedded like a person's. The same object each time; its pixels must not be changed.
 */
export function trialFrame(): PixelImage {
  trial ??= frameWithHeads(640, 480, [{ left: 140, top: 60, side: 360 }]);
  return trial;
}
