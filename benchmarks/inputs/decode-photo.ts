import { FaceError, type PixelImage } from '@svc/core';
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

const maxPixels = 50_000_000;

/**
 * Decodes a binary PGM (Netpbm `P5`, 8 bits) to RGB, the format of research sets of grey photos, which sharp does not
 * read.
 * @throws FaceError `image-invalid`
 */
export function decodePgm(bytes: Uint8Array): PixelImage {
  // Magic, width, height and maximum, separated by white space and comments; one white space before the pixels.
  const head = /^P5(?:\s+#.*\n)*\s+(?:#.*\n\s*)*(\d{1,5})\s+(?:#.*\n\s*)*(\d{1,5})\s+(?:#.*\n\s*)*(\d{1,5})\s/.exec(
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString('latin1'),
  );
  const [width, height, greatest] = (head ?? []).slice(1).map(Number);
  const pixels = (width ?? 0) * (height ?? 0);
  if (!head || !width || !height || greatest !== 255 || pixels > maxPixels || bytes.length < head[0].length + pixels) {
    throw new FaceError('image-invalid', 'not an 8-bit binary PGM');
  }
  const grey = bytes.subarray(head[0].length, head[0].length + pixels);
  return fromGrey(grey, width, height);
}

function fromGrey(grey: Uint8Array, width: number, height: number): PixelImage {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) data.fill(grey[i] ?? 0, 3 * i, 3 * i + 3);
  return { data, width, height, channels: 3 };
}
