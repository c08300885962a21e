import { attemptSoon } from '@svc/page-kit';

/** Longer than a slow phone takes for the largest photo. */
const BITMAP_MS = 8_000;

/**
 * Decodes a picture, upright by its EXIF orientation; by an image element where the browser has no bitmaps. To be closed.
 * @throws DOMException if it is not a picture
 */
export async function decodePicture(picture: Blob) {
  const upright = { imageOrientation: 'from-image' } as const;
  const decode = () => createImageBitmap(picture, upright);
  const bitmap = await attemptSoon<ImageBitmap | null>(decode, null, BITMAP_MS, (late) => late?.close());
  if (bitmap !== null)
    return { source: bitmap, width: bitmap.width, height: bitmap.height, close: () => bitmap.close() };
  const source = new Image();
  source.src = URL.createObjectURL(picture);
  await source.decode().finally(() => URL.revokeObjectURL(source.src));
  return {
    ...{ source, width: source.naturalWidth, height: source.naturalHeight },
    close: () => source.removeAttribute('src'),
  };
}
