import sharp, { type Sharp } from 'sharp';
import type { RenderedImage } from './render/sensor.ts';

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
