import { FaceError, type PixelImage } from '@svc/core';

const maxPixels = 50_000_000;

/**
 * A binary PGM (Netpbm `P5`, 8 bits) as RGB. Research sets of grey photos come in this format, and no decoder here reads it.
 * @throws FaceError `image-invalid`
 */
export function decodePgm(bytes: Uint8Array): PixelImage {
  // Magic, width, height and greatest value, parted by white space and comments; one white space before the pixels.
  const head = /^P5(?:\s+#.*\n)*\s+(?:#.*\n\s*)*(\d{1,5})\s+(?:#.*\n\s*)*(\d{1,5})\s+(?:#.*\n\s*)*(\d{1,5})\s/.exec(
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString('latin1'),
  );
  const [width, height, greatest] = (head ?? []).slice(1).map(Number);
  const pixels = (width ?? 0) * (height ?? 0);
  if (!head || !width || !height || greatest !== 255 || pixels > maxPixels || bytes.length < head[0].length + pixels) {
    throw new FaceError('image-invalid', 'not an 8-bit binary PGM');
  }
  const grey = bytes.subarray(head[0].length, head[0].length + pixels);
  const data = new Uint8Array(pixels * 3);
  for (const [i, value] of grey.entries()) data.fill(value, i * 3, i * 3 + 3);
  return { data, width, height, channels: 3 };
}
