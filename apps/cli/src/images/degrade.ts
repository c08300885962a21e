import type { FaceCore, PixelImage } from '@svc/core';
import { generator } from '../statistics/random.ts';

/** Whole bytes, RGB. */
const rgb = (width: number, height: number): PixelImage & { readonly data: Uint8Array } => ({
  data: new Uint8Array(width * height * 3),
  width,
  height,
  channels: 3,
});

const clamped = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));

/** Made smaller, each pixel the mean of what it covers. @param factor 0..1 */
export function scaledDown(core: FaceCore, image: PixelImage, factor: number): PixelImage {
  const [width, height] = [Math.round(image.width * factor), Math.round(image.height * factor)];
  const opened = core.image(image);
  try {
    const transform = { a: image.width / width, b: 0, c: 0, d: 0, e: image.height / height, f: 0 };
    return { ...rgb(width, height), data: opened.warpToBytes(transform, width, height, { fill: 'edge' }) };
  } finally {
    opened.dispose();
  }
}

/** Every value of a pixel by a function of it. */
function mapped(image: PixelImage, of: (value: number) => number): PixelImage {
  const out = rgb(image.width, image.height);
  for (let i = 0, from = 0; i < out.data.length; i += 3, from += image.channels) {
    for (let c = 0; c < 3; c++) out.data[i + c] = clamped(of(image.data[from + c] ?? 0));
  }
  return out;
}

/** Darker below 1, brighter and burnt out above. */
export const exposed = (image: PixelImage, factor: number): PixelImage => mapped(image, (value) => value * factor);

/** Normally distributed noise, of each channel by itself; the same at every run. @param sigma of 255 */
export function noisy(image: PixelImage, sigma: number, seed = 1): PixelImage {
  const random = generator(seed);
  // Box and Muller; 1 − x, since the logarithm of 0 has none.
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return mapped(image, (value) => value + sigma * normal());
}

/** A Gaussian over both directions; the border's pixels go on outside. @param sigma pixels */
export function blurred(image: PixelImage, sigma: number): PixelImage {
  const radius = Math.ceil(3 * sigma);
  const weights = Array.from({ length: 2 * radius + 1 }, (_, i) => Math.exp(-((i - radius) ** 2) / (2 * sigma ** 2)));
  const sum = weights.reduce((a, b) => a + b, 0);
  const { width, height, channels } = image;
  const across = new Float32Array(width * height * 3);
  const out = rgb(width, height);
  const at = (position: number, size: number) => Math.max(0, Math.min(size - 1, position));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) {
        let value = 0;
        for (const [i, weight] of weights.entries()) {
          value += weight * (image.data[(y * width + at(x + i - radius, width)) * channels + c] ?? 0);
        }
        across[(y * width + x) * 3 + c] = value / sum;
      }
    }
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) {
        let value = 0;
        for (const [i, weight] of weights.entries()) {
          value += weight * (across[(at(y + i - radius, height) * width + x) * 3 + c] ?? 0);
        }
        out.data[(y * width + x) * 3 + c] = clamped(value / sum);
      }
    }
  }
  across.fill(0);
  return out;
}
