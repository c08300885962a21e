import { fittedSize, type Size } from '@svc/capture-web';
import { type Photo, PhotoError } from '../../ports.ts';

/** What the service works with; more would only take longer to send. */
export const LONGEST_SIDE_PX = 1280;
/** Where a template of the photo is as near to the original's as noise lets it be (docs/widget.md). */
const JPEG_QUALITY = 0.92;

/**
 * A picture as a JPEG of at most {@link LONGEST_SIDE_PX}, with nothing in it but pixels: metadata stay behind. What is
 * transparent becomes white, as it does at the service.
 * @throws PhotoError `failed`
 */
async function toPhoto(picture: CanvasImageSource, size: Size): Promise<Photo> {
  const { width, height } = fittedSize(size, LONGEST_SIDE_PX);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  try {
    const context = canvas.getContext('2d');
    if (context === null) throw new PhotoError('failed');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture, 0, 0, width, height);
    const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY));
    if (jpeg === null || jpeg.type !== 'image/jpeg') throw new PhotoError('failed');
    return { jpeg, width, height };
  } finally {
    // Lets go of the pixels now and not at some collection.
    canvas.width = 0;
    canvas.height = 0;
  }
}

/** What a video element shows, unmirrored. @throws PhotoError `failed` */
export const pictureOf = (video: HTMLVideoElement): Promise<Photo> =>
  toPhoto(video, { width: video.videoWidth, height: video.videoHeight });

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
