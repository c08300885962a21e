import { generator } from '@svc/benchmarks/statistics/bootstrap';
import type { FaceCore, PixelImage } from '@svc/core';

/** Whole bytes, RGB. */
const rgb = (width: number, height: number): PixelImage & { readonly data: Uint8Array } => ({
  data: new Uint8Array(width * height * 3),
  width,
  height,
  channels: 3,
});

const clamped = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));

/** Scales down; each pixel is the mean of the area it covers. @param factor 0..1 */
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

/** Applies a function to every value. */
function mapped(image: PixelImage, of: (value: number) => number): PixelImage {
  const out = rgb(image.width, image.height);
  for (let i = 0, from = 0; i < out.data.length; i += 3, from += image.channels) {
    for (let c = 0; c < 3; c++) out.data[i + c] = clamped(of(image.data[from + c] ?? 0));
  }
  return out;
}

/** Darker below 1, brighter and clipped above. */
export const exposed = (image: PixelImage, factor: number): PixelImage => mapped(image, (value) => value * factor);

/** Normally distributed noise, independent per channel; the same at every run. @param sigma of 255 */
export function noisy(image: PixelImage, sigma: number, seed = 1): PixelImage {
  const random = generator(seed);
  // Box–Muller; 1 − x avoids the logarithm of 0.
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return mapped(image, (value) => value + sigma * normal());
}

/**
 * One direction of a blur: `count` lines of `length` values, `step` apart within a line and `lineStep` between lines,
 * three interleaved channels.
 */
function blurLines(
  from: Float32Array,
  to: Float32Array,
  weights: Float64Array,
  { count, length, step, lineStep }: Readonly<Record<'count' | 'length' | 'step' | 'lineStep', number>>,
): void {
  const radius = (weights.length - 1) / 2;
  for (let line = 0; line < count; line++) {
    for (let position = 0; position < length; position++) {
      let [r, g, b] = [0, 0, 0];
      for (let i = 0; i < weights.length; i++) {
        const near = position + i - radius;
        const at = line * lineStep + (near < 0 ? 0 : near >= length ? length - 1 : near) * step;
        const weight = weights[i] ?? 0;
        r += weight * (from[at] ?? 0);
        g += weight * (from[at + 1] ?? 0);
        b += weight * (from[at + 2] ?? 0);
      }
      const at = line * lineStep + position * step;
      to[at] = r;
      to[at + 1] = g;
      to[at + 2] = b;
    }
  }
}

/** A Gaussian in both directions, with edges repeated. @param sigma pixels */
export function blurred(image: PixelImage, sigma: number): PixelImage {
  const { width, height, channels } = image;
  const radius = Math.ceil(3 * sigma);
  const weights = Float64Array.from({ length: 2 * radius + 1 }, (_, i) =>
    Math.exp(-((i - radius) ** 2) / (2 * sigma ** 2)),
  );
  const sum = weights.reduce((a, b) => a + b, 0);
  for (let i = 0; i < weights.length; i++) weights[i] = (weights[i] ?? 0) / sum;
  const out = rgb(width, height);
  const values = new Float32Array(out.data.length);
  const across = new Float32Array(out.data.length);
  for (let i = 0; i < width * height; i++) {
    for (let c = 0; c < 3; c++) values[3 * i + c] = image.data[i * channels + c] ?? 0;
  }
  blurLines(values, across, weights, { count: height, length: width, step: 3, lineStep: 3 * width });
  blurLines(across, values, weights, { count: width, length: height, step: 3 * width, lineStep: 3 });
  for (let i = 0; i < values.length; i++) out.data[i] = clamped(values[i] ?? 0);
  values.fill(0);
  across.fill(0);
  return out;
}
