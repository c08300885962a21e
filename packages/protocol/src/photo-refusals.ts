// A module of its own: the widget's page needs it, and none of the table of errors, which no bundler would leave out.
import type { ErrorCode } from './errors.ts';

/** Why a photo cannot be used: too poor for the engine, or not an image. Each costs a guest an attempt. */
export const photoRefusals = [
  'image-invalid',
  'no-face',
  'several-faces',
  'face-too-small',
  'too-dark',
  'too-bright',
  'blurred',
  'turned-away',
  'covered',
  'photo-not-live',
] as const satisfies readonly ErrorCode[];
export type PhotoRefusal = (typeof photoRefusals)[number];

/** Why a picture cannot be read: another format, beyond the limits of size, damaged or cut off, too slow to decode. */
export const imageFaults = ['format', 'dimensions', 'damaged', 'time'] as const;
export type ImageFault = (typeof imageFaults)[number];

/** Media types of pictures, with where the first bytes that tell them stand. */
const SIGNATURES = [
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  // ISO/IEC 23008-12 and the AV1 Image File Format, in the `ftyp` box of ISO/IEC 14496-12.
  ['image/avif', 4, 'ftypavif', 'ftypavis'],
  ['image/heic', 4, 'ftypheic', 'ftypheix', 'ftypheim', 'ftypheis', 'ftyphevc', 'ftyphevx'],
  ['image/heif', 4, 'ftypmif1', 'ftypmif2', 'ftypmsf1'],
  ['image/tiff', 0, 'II*\0', 'MM\0*'],
  ['image/jxl', 4, 'JXL '],
  ['image/svg+xml', 0, '<svg'],
] as const;
export type ImageType = (typeof SIGNATURES)[number][0];

/** How many first bytes {@link imageTypeOf} needs. */
export const IMAGE_TYPE_BYTES = 12;

/** What kind of picture a file is by its first bytes: names and declared types may be wrong. Null for anything else. */
export function imageTypeOf(file: Uint8Array): ImageType | null {
  const text = String.fromCharCode(...file.subarray(0, IMAGE_TYPE_BYTES));
  return SIGNATURES.find(([, at, ...starts]) => starts.some((start) => text.startsWith(start, at)))?.[0] ?? null;
}
