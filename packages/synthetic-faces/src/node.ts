import { open } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import type { RenderedImage } from './render/sensor.ts';

export * from './index.ts';

const raw = (image: RenderedImage): Sharp =>
  sharp(image.data, { raw: { width: image.width, height: image.height, channels: 4 } }).removeAlpha();

/**
 * Baseline JPEG, 4:2:0.
 *
 * @param quality 1..100, default 92
 */
export async function encodeJpeg(image: RenderedImage, quality = 92): Promise<Uint8Array> {
  return new Uint8Array(await raw(image).jpeg({ quality }).toBuffer());
}

/** 8-bit RGB PNG without loss. */
export async function encodePng(image: RenderedImage): Promise<Uint8Array> {
  return new Uint8Array(await raw(image).png().toBuffer());
}

/**
 * YUV4MPEG2 with 4:2:0 planes in BT.601 limited range, as Chromium's `--use-file-for-fake-video-capture` plays it.
 * Frames are written as they come, so a lazy clip needs memory for one.
 *
 * @returns the number of frames
 * @throws RangeError when a frame's size differs from the first or is odd
 */
export async function writeY4m(path: string, frames: Iterable<RenderedImage>, fps: number): Promise<number> {
  const file = await open(path, 'w');
  try {
    let [count, width, height] = [0, 0, 0];
    for (const frame of frames) {
      if (count === 0) {
        [width, height] = [frame.width, frame.height];
        if (width % 2 || height % 2) throw new RangeError('y4m: even sizes only');
        await file.write(`YUV4MPEG2 W${width} H${height} F${rational(fps)} Ip A1:1 C420jpeg\n`);
      }
      if (frame.width !== width || frame.height !== height) throw new RangeError('y4m: one size only');
      await file.write('FRAME\n');
      await file.write(planesOf(frame));
      count++;
    }
    return count;
  } finally {
    await file.close();
  }
}

/**
 * JPEG pictures one after another (.mjpeg), Chromium's other format for a fake camera; it plays them at 30 a second.
 *
 * @returns the number of frames
 */
export async function writeMjpeg(path: string, frames: Iterable<RenderedImage>, quality = 90): Promise<number> {
  const file = await open(path, 'w');
  try {
    let count = 0;
    for (const frame of frames) {
      await file.write(await encodeJpeg(frame, quality));
      count++;
    }
    return count;
  } finally {
    await file.close();
  }
}

const rational = (fps: number): string => (Number.isInteger(fps) ? `${fps}:1` : `${Math.round(fps * 1000)}:1000`);

/** ITU-R BT.601, limited range; chroma is the mean of 2×2 pixels. */
function planesOf({ data, width, height }: RenderedImage): Uint8Array {
  const half = width / 2;
  const luma = width * height;
  const chroma = luma / 4;
  const out = new Uint8Array(luma + 2 * chroma);
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      let [r, g, b] = [0, 0, 0];
      for (const at of [y * width + x, y * width + x + 1, (y + 1) * width + x, (y + 1) * width + x + 1]) {
        const [pr, pg, pb] = [data[at * 4] as number, data[at * 4 + 1] as number, data[at * 4 + 2] as number];
        out[at] = 16.5 + (65.481 * pr + 128.553 * pg + 24.966 * pb) / 255;
        r += pr;
        g += pg;
        b += pb;
      }
      const at = luma + (y / 2) * half + x / 2;
      out[at] = 128.5 + (-37.797 * r - 74.203 * g + 112 * b) / 1020;
      out[at + chroma] = 128.5 + (112 * r - 93.786 * g - 18.214 * b) / 1020;
    }
  }
  return out;
}
