import type { FaceCore, PixelImage } from '@svc/core';

/** RGB bytes. */
type RgbImage = PixelImage & { readonly data: Uint8Array };

const clampedByte = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));

/** RGB by a function of pixel and channel, whose values are rounded and clamped. */
function rgbOf(
  { width, height }: { readonly width: number; readonly height: number },
  value: (pixel: number, channel: number) => number,
): RgbImage {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < data.length; i++) data[i] = clampedByte(value(Math.floor(i / 3), i % 3));
  return { data, width, height, channels: 3 };
}

/** Applies a function to every value. */
const mapped = (image: PixelImage, of: (value: number) => number): RgbImage =>
  rgbOf(image, (pixel, channel) => of(image.data[pixel * image.channels + channel] ?? 0));

/** Scales down; each pixel is the mean of the area it covers. @param factor 0..1 */
export function scaledDown(core: FaceCore, image: PixelImage, factor: number): RgbImage {
  const [width, height] = [Math.round(image.width * factor), Math.round(image.height * factor)];
  const opened = core.image(image);
  try {
    const transform = { a: image.width / width, b: 0, c: 0, d: 0, e: image.height / height, f: 0 };
    return { data: opened.warpToBytes(transform, width, height, { fill: 'edge' }), width, height, channels: 3 };
  } finally {
    opened.dispose();
  }
}

/** Darker below 1, brighter and clipped above. */
export const exposed = (image: PixelImage, factor: number): RgbImage => mapped(image, (value) => value * factor);

/** Blurred by a Gaussian in both directions, with edges repeated. @param sigma pixels */
export function blurred(image: PixelImage, sigma: number): RgbImage {
  const { data, width, height, channels } = image;
  const radius = Math.ceil(3 * sigma);
  const weights = Float64Array.from({ length: 2 * radius + 1 }, (_, i) =>
    Math.exp(-((i - radius) ** 2) / (2 * sigma ** 2)),
  );
  const total = weights.reduce((a, b) => a + b, 0);
  const along = (from: Float32Array, stride: number, length: number): Float32Array =>
    from.map((_, i) => {
      const place = Math.floor(i / stride) % length;
      let sum = 0;
      for (let k = -radius; k <= radius; k++) {
        const near = Math.max(0, Math.min(length - 1, place + k));
        sum += (weights[k + radius] ?? 0) * (from[i + (near - place) * stride] ?? 0);
      }
      return sum / total;
    });
  const planes = [0, 1, 2].map((c) => {
    const values = Float32Array.from({ length: width * height }, (_, i) => data[i * channels + c] ?? 0);
    return along(along(values, 1, width), width, height);
  });
  return rgbOf(image, (pixel, channel) => planes[channel]?.[pixel] ?? 0);
}
