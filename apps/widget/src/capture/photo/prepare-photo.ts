import type { Size } from '@svc/capture-web';
import { type Photo, PhotoError } from '../../ports.ts';
import { toPhoto } from './to-photo.ts';

/** No camera's photo is larger; what is, is something else. */
const MAX_FILE_BYTES = 80_000_000;
/** Four bytes a pixel are held while a picture is scaled down: more than this, and a phone may end the tab. */
const MAX_PIXELS = 80_000_000;

/**
 * Any picture that this browser reads as a photo to send: upright by its EXIF orientation, without metadata.
 * @throws PhotoError
 */
export async function preparePhoto(file: Blob): Promise<Photo> {
  if (file.size > MAX_FILE_BYTES) throw new PhotoError('too-large');
  const { width, height } = await sizeOf(file);
  if (width * height > MAX_PIXELS) throw new PhotoError('too-large');
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch((cause: unknown) => {
    throw new PhotoError('not-a-picture', { cause });
  });
  try {
    return await toPhoto(bitmap, bitmap);
  } finally {
    bitmap.close();
  }
}

/** By the header alone: browsers decode the pixels of an image when it is shown, and this one never is. */
async function sizeOf(file: Blob): Promise<Size> {
  const url = URL.createObjectURL(file);
  const image = new Image();
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new PhotoError('not-a-picture'));
      image.src = url;
    });
    const { naturalWidth: width, naturalHeight: height } = image;
    // A drawing without a size of its own.
    if (width === 0 || height === 0) throw new PhotoError('not-a-picture');
    return { width, height };
  } finally {
    image.removeAttribute('src');
    URL.revokeObjectURL(url);
  }
}
