import { meanOf } from '@svc/benchmarks/statistics/summary';
import sharp, { type Sharp } from 'sharp';

/** What is compared is what a picture shows, not its grain: this many places a side. */
const PLACES = 16;
/** Standard deviation of luma below which a picture shows nothing that could lie wrong. */
const FLAT = 6;

const lumaOf = (upright: Sharp): Promise<Buffer> =>
  upright
    .removeAlpha()
    .greyscale()
    .resize({ width: PLACES, height: PLACES, fit: 'fill' })
    .raw({ depth: 'uchar' })
    .toBuffer();

function deviationOf(values: ArrayLike<number>): number {
  const all = Array.from(values);
  const mean = meanOf(all);
  return Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length);
}

/** Of each value, its place in order; equal ones share theirs. */
function ranksOf(values: ArrayLike<number>): number[] {
  const sorted = Array.from(values).sort((a, b) => a - b);
  return Array.from(values, (value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}

/** Spearman's: browsers apply a PNG's own gamma and the service's decoder does not, which changes every value and no order. */
function rankCorrelation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [x, y] = [ranksOf(a), ranksOf(b)];
  const middle = (x.length - 1) / 2;
  const covariance = x.reduce((sum, rank, i) => sum + (rank - middle) * ((y[i] ?? 0) - middle), 0) / x.length;
  return covariance / (deviationOf(x) * deviationOf(y));
}

/** A picture as the service reads it: upright, white where it is transparent; null where it refuses it. */
async function asServiceReads(file: Uint8Array): Promise<Sharp | null> {
  const isKnown = /^(ffd8ff|89504e470d0a1a0a)/.test(Buffer.from(file.subarray(0, 8)).toString('hex'));
  if (!isKnown) return null;
  const read = sharp(file, { failOn: 'error', limitInputPixels: 50_000_000 }).autoOrient();
  const decoded = await read
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .png()
    .toBuffer()
    .catch(() => null);
  return decoded === null ? null : sharp(decoded);
}

/** What the service makes of a file, and how much a photo that was made of it shows the same. */
export interface Comparison {
  /** Px, upright, within 1280; null where the service refuses the file. */
  readonly expected: { readonly width: number; readonly height: number } | null;
  /** Correlation of the order of brightness, −1..1; null where there is nothing to compare. */
  readonly likeness: number | null;
}

/** @param photo null: none was made */
export async function comparePictures(file: Uint8Array, photo: Uint8Array | null): Promise<Comparison> {
  const read = await asServiceReads(file);
  if (read === null) return { expected: null, likeness: null };
  const { width = 0, height = 0 } = await read.metadata();
  const scale = Math.min(1, 1280 / Math.max(width, height));
  const expected = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  if (photo === null) return { expected, likeness: null };
  const [wanted, given] = await Promise.all([lumaOf(read.clone()), lumaOf(sharp(photo))]);
  return { expected, likeness: deviationOf(wanted) < FLAT ? null : rankCorrelation(wanted, given) };
}
