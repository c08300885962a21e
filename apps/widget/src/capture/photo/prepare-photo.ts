import { fittedSize, type Size } from '@svc/capture-web';
import type { PixelImage } from '@svc/core';
import { IMAGE_TYPE_BYTES, imageTypeOf } from '@svc/protocol';
import { type Photo, PhotoError } from '../../ports.ts';
import { decodePicture } from './decode-picture.ts';

/** The service uses no larger pictures. */
export const LONGEST_SIDE_PX = 1280;
/** Chosen so that compression changes a template no more than noise does (docs/build/widget.md). */
const JPEG_QUALITY = 0.92;

/**
 * A picture as a JPEG of at most {@link LONGEST_SIDE_PX}, without metadata. Transparent pixels become white, as at the
 * service.
 * @throws PhotoError `image-invalid`
 */
async function toPhoto(picture: CanvasImageSource, size: Size): Promise<Photo> {
  const { width, height } = fittedSize(size, LONGEST_SIDE_PX);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  try {
    const context = canvas.getContext('2d');
    if (context === null) throw new PhotoError('image-invalid');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture, 0, 0, width, height);
    const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY));
    if (jpeg === null || jpeg.type !== 'image/jpeg') throw new PhotoError('image-invalid');
    return { jpeg, width, height };
  } finally {
    // Releases the pixels before garbage collection.
    canvas.width = 0;
    canvas.height = 0;
  }
}

/** The picture that a video element shows, unmirrored. @throws PhotoError `image-invalid` */
export const pictureOf = (video: HTMLVideoElement): Promise<Photo> =>
  toPhoto(video, { width: video.videoWidth, height: video.videoHeight });

/** What keeps a browser from reading a file, by its first bytes; `image-invalid` for what is no picture, too. */
export function problemOf(head: Uint8Array): 'heic' | 'format' | 'image-invalid' {
  const type = imageTypeOf(head);
  if (type === 'image/heic' || type === 'image/heif') return 'heic';
  const isUnknown = type === 'image/avif' || type === 'image/tiff' || type === 'image/jxl';
  return isUnknown ? 'format' : 'image-invalid';
}

/** Larger than any camera's photo. */
const MAX_FILE_BYTES = 80_000_000;
/** Decoding takes four bytes a pixel; with more pixels a phone may close the tab. */
const MAX_PIXELS = 80_000_000;

/**
 * Turns any picture that this browser can read into a photo to send: upright by its EXIF orientation, without metadata.
 * @throws PhotoError
 */
export async function preparePhoto(file: Blob): Promise<Photo> {
  if (file.size > MAX_FILE_BYTES) throw new PhotoError('too-large');
  const { width, height } = await sizeOf(file).catch(async (cause: unknown) => {
    const head = await file.slice(0, IMAGE_TYPE_BYTES).arrayBuffer();
    throw new PhotoError(problemOf(new Uint8Array(head)), { cause });
  });
  if (width * height > MAX_PIXELS) throw new PhotoError('too-large');
  const picture = await decodePicture(file).catch((cause: unknown) => {
    throw new PhotoError('image-invalid', { cause });
  });
  try {
    return await toPhoto(picture.source, picture);
  } finally {
    picture.close();
  }
}

/** The photo's own pixels, as the service will decode them. @throws DOMException if it is not a picture */
export async function pixelsOf({ jpeg, width, height }: Photo): Promise<PixelImage> {
  const picture = await decodePicture(jpeg);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  try {
    const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false });
    if (context === null) throw new PhotoError('image-invalid');
    context.drawImage(picture.source, 0, 0);
    return { data: context.getImageData(0, 0, width, height).data, width, height, channels: 4 };
  } finally {
    picture.close();
    [canvas.width, canvas.height] = [0, 0];
  }
}

/** Reads the header only: browsers decode an image's pixels when it is shown, and this one never is. */
async function sizeOf(file: Blob): Promise<Size> {
  const url = URL.createObjectURL(file);
  const image = new Image();
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new PhotoError('image-invalid'));
      image.src = url;
    });
    const { naturalWidth: width, naturalHeight: height } = image;
    // An SVG without a size.
    if (width === 0 || height === 0) throw new PhotoError('image-invalid');
    return { width, height };
  } finally {
    image.removeAttribute('src');
    URL.revokeObjectURL(url);
  }
}
