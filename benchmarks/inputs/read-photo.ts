import { readFile, stat } from 'node:fs/promises';
import { decodePhoto, restrictDecoders } from '@svc/api/decode-photo';
import { FaceError, type PixelImage } from '@svc/core';

const maxFileBytes = 64 * 2 ** 20;
const maxPixels = 50_000_000;
let restricted = false;

/**
 * Pixels of a photo file, decoded by the API's own decoder and limits, so that what is measured is what the service
 * sees; grey PGM as well. The caller wipes them.
 * @throws FaceError `image-invalid` for anything other than a complete, readable photo
 */
export async function readPhoto(path: string): Promise<PixelImage> {
  if ((await stat(path)).size > maxFileBytes) throw new FaceError('image-invalid', 'the file is too large');
  const bytes = await readFile(path);
  if (bytes[0] === 0x50 && bytes[1] === 0x35) return decodePgm(bytes);
  if (!restricted) restrictDecoders();
  restricted = true;
  const photo = await decodePhoto(bytes);
  if ('reason' in photo) throw new FaceError('image-invalid', photo.detail);
  return photo;
}

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
  const data = new Uint8Array(3 * pixels);
  for (let i = 0; i < pixels; i++) data.fill(grey[i] ?? 0, 3 * i, 3 * i + 3);
  return { data, width, height, channels: 3 };
}
