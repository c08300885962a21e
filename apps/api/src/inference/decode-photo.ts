import { PROCESSING_LONGEST_SIDE_PX } from '@svc/protocol';
import sharp, { type Sharp } from 'sharp';

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
 * Counts the scans of a JPEG (ITU-T T.81 section B.1.1), up to `limit` + 1. Finds markers like libjpeg, even after
 * invalid bytes, so that libjpeg never decodes an uncounted scan.
 * @param photo begins with a start of image
 */
export function countJpegScans(photo: Uint8Array, limit: number): number {
  let scans = 0;
  let at = 2;
  while (scans <= limit) {
    at = nextMarker(photo, at);
    const marker = photo[at];
    if (marker === undefined || marker === EOI) break;
    at += 1;
    if (marker === TEM || (marker >= RST0 && marker <= RST7)) continue;
    if (marker === SOS) scans += 1;
    at += ((photo[at] ?? 0) << 8) | (photo[at + 1] ?? 0);
  }
  return scans;
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
const JPEG_MAGIC = Buffer.from([0xff, 0xd8, 0xff]);
const PNG_MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

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

/** Whether a picture of this size may be decoded. */
function isWithinLimits(width: number, height: number, maxPixels: number): boolean {
  const [shorter, longer] = width < height ? [width, height] : [height, width];
  return longer <= MAX_SIDE_PX && longer <= shorter * MAX_ASPECT && width * height <= maxPixels;
}

function formatOf(photo: Uint8Array): 'jpeg' | 'png' | null {
  const head = Buffer.from(photo.buffer, photo.byteOffset, Math.min(photo.length, PNG_MAGIC.length));
  if (head.subarray(0, JPEG_MAGIC.length).equals(JPEG_MAGIC)) return 'jpeg';
  return head.equals(PNG_MAGIC) ? 'png' : null;
}

/**
 * Opens a JPEG or PNG for reading it upright, with a limit of time. Checks the size in the header before any pixel is
 * decoded. Does not use the disk.
 * @returns null for anything else, and for pictures beyond the limits
 * @throws Error of libvips for a damaged header; what reads the pixels throws for the rest
 */
export async function openPicture(file: Uint8Array): Promise<Sharp | null> {
  const expected = formatOf(file);
  const scans = expected === 'jpeg' ? countJpegScans(file, MAX_SCANS) : 1;
  if (expected === null || scans > MAX_SCANS) return null;
  const limits = {
    failOn: 'error',
    limitInputPixels: MAX_PIXELS,
    sequentialRead: true,
    pages: 1,
  } as const;
  const { format, isProgressive, width, height } = await sharp(file, limits).metadata();
  const isScaledOnLoad = expected === 'jpeg' && !isProgressive && scans === 1;
  const maxPixels = isScaledOnLoad ? MAX_PIXELS : MAX_WHOLE_PIXELS;
  if (format !== expected || !isWithinLimits(width, height, maxPixels)) return null;
  return sharp(file, limits).timeout({ seconds: TIME_LIMIT_SECONDS }).autoOrient();
}

/**
 * Decodes a JPEG or PNG to upright 8-bit sRGB of at most 1280 pixels on the longest side; transparent parts become
 * white.
 * @returns null for anything but a complete JPEG or PNG within the limits, including that of time
 */
export async function decodePhoto(photo: Uint8Array): Promise<DecodedPhoto | null> {
  try {
    const picture = await openPicture(photo);
    if (picture === null) return null;
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
    if (info.channels !== 3) return null;
    return { data, width: info.width, height: info.height, channels: 3 };
  } catch {
    // Any libvips error has the same result; its messages quote the file.
    return null;
  }
}
