import type { PixelImage } from '@svc/core';
import { goldenInput } from '@svc/face-models';

export interface DrawnHead {
  readonly seed?: number;
  /** Left, top and side of the square with head and shoulders, pixels. */
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

/**
 * A frame with drawn heads that detector and mesh accept as faces: the golden outputs' picture, at any place and size.
 */
export function frameWithHeads(width: number, height: number, heads: readonly DrawnHead[]): PixelImage {
  const data = new Uint8Array(width * height * 3).fill(140);
  for (const { seed = 3, left, top, side } of heads) {
    const picture = goldenInput({
      name: 'face-mesh',
      inputs: [{ name: 'picture', shape: [1, side, side, 3], type: 'float32', range: [0, 255] }],
      golden: { inputSeed: seed, faceHeight: 0.6, tolerance: 0, outputs: [] },
    });
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side * 3; x++) {
        data[((top + y) * width + left) * 3 + x] = picture[y * side * 3 + x] ?? 0;
      }
    }
  }
  return { data, width, height, channels: 3 };
}

/** One drawn head that passes enrolment. */
export const oneHead = (): PixelImage => frameWithHeads(480, 480, [{ left: 0, top: 0, side: 480 }]);

/** An empty frame. */
export const emptyFrame = (): PixelImage => frameWithHeads(480, 360, []);
