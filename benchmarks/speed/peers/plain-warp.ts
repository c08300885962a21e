import type { AffineTransform, PixelImage } from '@svc/core';

/** Bilinear sampling at the pixel's centre, as image code is usually written: no area, so it aliases when shrinking. */
export function bilinearToFloat(image: PixelImage, t: AffineTransform, size: number, out: Float32Array): Float32Array {
  const { data, width, height, channels } = image;
  for (let y = 0, at = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const sx = t.a * (x + 0.5) + t.b * (y + 0.5) + t.c - 0.5;
      const sy = t.d * (x + 0.5) + t.e * (y + 0.5) + t.f - 0.5;
      const x0 = Math.max(0, Math.min(width - 2, Math.floor(sx)));
      const y0 = Math.max(0, Math.min(height - 2, Math.floor(sy)));
      const fx = Math.max(0, Math.min(1, sx - x0));
      const fy = Math.max(0, Math.min(1, sy - y0));
      const top = (y0 * width + x0) * channels;
      const bottom = top + width * channels;
      for (let c = 0; c < 3; c++) {
        const left = (data[top + c] as number) * (1 - fy) + (data[bottom + c] as number) * fy;
        const right = (data[top + channels + c] as number) * (1 - fy) + (data[bottom + channels + c] as number) * fy;
        out[at++] = left * (1 - fx) + right * fx;
      }
    }
  }
  return out;
}
