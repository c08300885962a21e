import { readFileSync } from 'node:fs';
import type { PixelImage } from '@svc/core';
import sharp from 'sharp';

/**
 * A photo as the service decodes it: upright by EXIF, sRGB, at most 1280 pixels on its longer side, no alpha.
 *
 * @param page of a file that holds several, counted from 0
 */
export async function decodePhoto(path: string, page = 0): Promise<PixelImage> {
  const { data, info } = await sharp(path, { failOn: 'error', page })
    .rotate()
    .resize({ width: 1280, height: 1280, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels === 3) return { data, width: info.width, height: info.height, channels: 3 };
  return fromGrey(data, info.width, info.height);
}

/** An 8-bit grey picture in the portable format, which sharp's builds do not read. */
export function decodePgm(path: string): PixelImage {
  const bytes = readFileSync(path);
  const header = /^P5\s+(?:#[^\n]*\n\s*)*(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString('latin1', 0, 200));
  if (header === null) throw new Error('not an 8-bit PGM');
  const [whole, width, height] = header;
  return fromGrey(bytes.subarray(whole.length), Number(width), Number(height));
}

function fromGrey(grey: Uint8Array, width: number, height: number): PixelImage {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) data.fill(grey[i] ?? 0, 3 * i, 3 * i + 3);
  return { data, width, height, channels: 3 };
}
