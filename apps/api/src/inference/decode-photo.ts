import { type ImageType, imageTypeOf, PROCESSING_LONGEST_SIDE_PX } from '@svc/protocol';
import sharp, { type Sharp } from 'sharp';
import type { UnreadableImage } from './port.ts';

const RST0 = 0xd0;
const RST7 = 0xd7;
const EOI = 0xd9;
const SOS = 0xda;
const TEM = 0x01;

/** Index of the next marker's code, skipping data, stuffed zeros and fill bytes; the photo's length for none. */
function nextMarker(photo: Uint8Array, from: number): number {
  for (let at = from + 1; at < photo.length; at += 1) {
    if (photo[at - 1] === 0xff && photo[at] !== 0xff && photo[at] !== 0) return at;
  }
  return photo.length;
}

/**
 * Counts the scans of a JPEG (ITU-T T.81 section B.1.1). Finds markers like libjpeg, even after invalid bytes, so that
 * libjpeg never decodes an uncounted scan.
 * @param photo begins with a start of image
 */
export function countJpegScans(photo: Uint8Array): number {
  let scans = 0;
  let at = 2;
  for (;;) {
    at = nextMarker(photo, at);
    const marker = photo[at];
    if (marker === undefined || marker === EOI) return scans;
    at += 1;
    if (marker === TEM || (marker >= RST0 && marker <= RST7)) continue;
    if (marker === SOS) scans += 1;
    at += ((photo[at] ?? 0) << 8) | (photo[at + 1] ?? 0);
  }
}

/** RGB bytes, row-major, 8 bits per channel; the caller wipes them. */
export interface DecodedPhoto {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 3;
}

/**
 * For baseline JPEG, whose decoder scales while reading: more pixels than a photo of 11 MB has, and decodable in little
 * memory.
 */
const MAX_PIXELS = 50_000_000;
/**
 * For other pictures. A JPEG in several passes (progressive or not interleaved) is held completely, two bytes per
 * coefficient, before the first row; a PNG is inflated and filtered at full size.
 */
const MAX_WHOLE_PIXELS = 25_000_000;
/** Longer than the sides of camera pictures within these limits. */
const MAX_SIDE_PX = 16_384;
/**
 * Longer side divided by the shorter one. Rows have a fixed cost: a picture one pixel wide takes seconds where a square
 * one of the same size takes one.
 */
const MAX_ASPECT = 10;
/**
 * Encoders write about a dozen. A scan of a few bytes takes as long as one of millions, and the decoder does not check
 * its timeout meanwhile.
 */
const MAX_SCANS = 100;
const TIME_LIMIT_SECONDS = 10;

/**
 * Enables only the two loaders needed, so that flaws in others, such as TIFF or SVG, are unreachable. Affects the whole
 * process.
 */
export function restrictDecoders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
  sharp.cache(false);
  sharp.concurrency(1);
}

export const DAMAGED: UnreadableImage = { reason: 'damaged', detail: 'The picture is damaged or cut off.' };
const TOO_LONG: UnreadableImage = { reason: 'dimensions', detail: 'The picture is too large to decode.' };
const TOO_SLOW: UnreadableImage = { reason: 'time', detail: 'The picture takes too long to decode.' };

function wrongFormat(type: ImageType | null): UnreadableImage {
  const detail = `The file is ${type ?? 'of no known format'}, neither JPEG nor PNG.`;
  return { reason: 'format', detail, ...(type !== null && { measured: type }) };
}

/** Null for a picture of a size that may be decoded. */
function sizeFault(width: number, height: number, maxPixels: number): UnreadableImage | null {
  const [shorter, longer] = width < height ? [width, height] : [height, width];
  const limits = [
    ['more pixels', width * height, maxPixels],
    ['more pixels on a side', longer, MAX_SIDE_PX],
    ['more elongated', longer / shorter, MAX_ASPECT],
  ] as const;
  const missed = limits.find(([, measured, limit]) => measured > limit);
  if (missed === undefined) return null;
  const [what, measured, limit] = missed;
  const detail = `The picture is ${width} × ${height} pixels: ${what} than the decoder accepts.`;
  return { reason: 'dimensions', detail, measured, limit };
}

/**
 * Has a JPEG or PNG read upright, with a limit of time. Checks the size in the header before any pixel is decoded. Does
 * not use the disk.
 * @returns what `read` returns, or why the picture cannot be read
 */
export async function readPicture<T>(
  file: Uint8Array,
  read: (picture: Sharp) => Promise<T>,
): Promise<T | UnreadableImage> {
  const type = imageTypeOf(file);
  if (type !== 'image/jpeg' && type !== 'image/png') return wrongFormat(type);
  const scans = type === 'image/jpeg' ? countJpegScans(file) : 1;
  if (scans > MAX_SCANS) return { ...TOO_SLOW, measured: scans, limit: MAX_SCANS };
  const limits = { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true, pages: 1 } as const;
  try {
    // Without a limit of pixels the header is read, and no pixel.
    const header = await sharp(file, { ...limits, limitInputPixels: false }).metadata();
    const { format, isProgressive, width, height } = header;
    if (`image/${format}` !== type) return DAMAGED;
    const isScaledOnLoad = type === 'image/jpeg' && !isProgressive && scans === 1;
    const fault = sizeFault(width, height, isScaledOnLoad ? MAX_PIXELS : MAX_WHOLE_PIXELS);
    return fault ?? (await read(sharp(file, limits).timeout({ seconds: TIME_LIMIT_SECONDS }).autoOrient()));
  } catch (error) {
    // The messages of libvips are not passed on: they quote the file.
    const { message } = error as Error;
    if (message.includes('Maximum supported image dimension')) return { ...TOO_LONG, limit: MAX_SIDE_PX };
    return message.startsWith('timeout:') ? { ...TOO_SLOW, limit: TIME_LIMIT_SECONDS } : DAMAGED;
  }
}

/**
 * Decodes a JPEG or PNG to upright 8-bit sRGB of at most 1280 pixels on the longest side; transparent parts become
 * white.
 * @returns why not, for anything but a complete JPEG or PNG within the limits, including that of time
 */
export const decodePhoto = (photo: Uint8Array): Promise<DecodedPhoto | UnreadableImage> =>
  readPicture<DecodedPhoto>(photo, async (picture) => {
    const { data, info } = await picture
      .resize({
        width: PROCESSING_LONGEST_SIDE_PX,
        height: PROCESSING_LONGEST_SIDE_PX,
        fit: 'inside',
        withoutEnlargement: true,
      })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== 3) throw new Error('not three channels');
    return { data, width: info.width, height: info.height, channels: 3 };
  });
