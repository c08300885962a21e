import { linearFromSrgb } from '../identity/colours.ts';
import { clamp } from '../math.ts';
import type { RenderedImage } from '../render/sensor.ts';

const decode = Float32Array.from({ length: 256 }, (_, value) => linearFromSrgb(value));

/** Bilinear linear-light reading of an 8-bit picture at (u, v) in 0..1, written to `out`. */
export function readPicture(image: RenderedImage, u: number, v: number, out: Float32Array): void {
  const x = clamp(u * image.width - 0.5, 0, image.width - 1.001);
  const y = clamp(v * image.height - 0.5, 0, image.height - 1.001);
  const [ix, iy] = [x | 0, y | 0];
  const [fx, fy] = [x - ix, y - iy];
  const at = (iy * image.width + ix) * 4;
  const below = at + image.width * 4;
  for (let k = 0; k < 3; k++) {
    const top =
      (decode[image.data[at + k] as number] as number) * (1 - fx) +
      (decode[image.data[at + 4 + k] as number] as number) * fx;
    const bottom =
      (decode[image.data[below + k] as number] as number) * (1 - fx) +
      (decode[image.data[below + 4 + k] as number] as number) * fx;
    out[k] = top * (1 - fy) + bottom * fy;
  }
}
