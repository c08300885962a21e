import { readFile } from 'node:fs/promises';
import type { PixelImage } from '@svc/core';
import { renderHead } from '@svc/synthetic-faces';
import sharp from 'sharp';
import { sharedPath } from './shared-data.ts';

export const frameWidth = 640;
export const frameHeight = 480;

/** A frame of 640×480 with one face, as both sides want it. */
export interface BenchPhoto {
  readonly what: string;
  /** As cameras deliver it. */
  readonly rgba: PixelImage;
  /** As TensorFlow.js wants it. */
  readonly rgb: Uint8Array;
}

/** The NASA astronaut of scikit-image where it lies beside the repository, else a rendered head. */
export async function benchPhoto(): Promise<BenchPhoto> {
  const path = sharedPath('data/faces/scikit-image/astronaut.png');
  if (path === null) {
    const rendered = renderHead({ seed: 11, distance: 1.6, width: frameWidth, height: frameHeight });
    return { what: 'a rendered head', rgba: rendered, rgb: withoutAlpha(rendered.data) };
  }
  const data = await sharp(await readFile(path))
    .resize(frameWidth, frameHeight, { fit: 'cover', position: 'top' })
    .ensureAlpha()
    .raw()
    .toBuffer();
  const bytes = new Uint8Array(data);
  const rgba = { data: bytes, width: frameWidth, height: frameHeight, channels: 4 } as const;
  return { what: 'the astronaut of scikit-image (NASA)', rgba, rgb: withoutAlpha(bytes) };
}

/** RGB of RGBA. */
export function withoutAlpha(rgba: PixelImage['data']): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let i = 0, j = 0; i < rgba.length; i += 4, j += 3) rgb.set(rgba.subarray(i, i + 3), j);
  return rgb;
}
