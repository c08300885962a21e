import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import { meanOf } from '@svc/benchmarks/statistics/summary';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claiming, readable, unreadable, unusable } from '../enrolment/photos.ts';
import { enrolBody } from '../enrolment/service.ts';
import { type CaptureHarness, type CaptureTab, photoOf, startCaptureHarness } from './capture-harness.ts';

/** Pictures are compared without their grain: at this many samples per side. */
const PLACES = 16;
/** Standard deviation of luma below which a picture is too uniform to compare. */
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

/** The rank of each value; equal values share theirs. */
function ranksOf(values: ArrayLike<number>): number[] {
  const sorted = Array.from(values).sort((a, b) => a - b);
  return Array.from(values, (value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}

/**
 * Spearman's rank correlation: browsers apply a PNG's own gamma and the service's decoder does not, which changes
 * values but not their order.
 */
function rankCorrelation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [x, y] = [ranksOf(a), ranksOf(b)];
  const middle = (x.length - 1) / 2;
  const covariance = x.reduce((sum, rank, i) => sum + (rank - middle) * ((y[i] ?? 0) - middle), 0) / x.length;
  return covariance / (deviationOf(x) * deviationOf(y));
}

/** A picture as the service reads it: upright, transparency white; null if refused. */
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

/** The service's result for a file, and the similarity of the photo that the widget made of it. */
interface Comparison {
  /** Pixels, upright, within 1280; null if the service refuses the file. */
  readonly expected: { readonly width: number; readonly height: number } | null;
  /** Rank correlation of brightness, −1..1; null if there is nothing to compare. */
  readonly likeness: number | null;
}

/** @param photo null: none was made */
async function comparePictures(file: Uint8Array, photo: Uint8Array | null): Promise<Comparison> {
  const read = await asServiceReads(file);
  if (read === null) return { expected: null, likeness: null };
  const { width = 0, height = 0 } = await read.metadata();
  const scale = Math.min(1, 1280 / Math.max(width, height));
  const expected = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  if (photo === null) return { expected, likeness: null };
  const [wanted, given] = await Promise.all([lumaOf(read.clone()), lumaOf(sharp(photo))]);
  return { expected, likeness: deviationOf(wanted) < FLAT ? null : rankCorrelation(wanted, given) };
}

const formats = sharedData('data', 'formats');
if (formats === null) console.log('odd picture files: skipped: no ../shared');

const types: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg' };
/** A wrongly rotated picture has less than 0.5. */
const LEAST_LIKENESS = 0.85;
/** Minimum shorter side: smaller pictures are test cards of gamma and palettes, on which decoders may differ. */
const COMPARED_FROM_PX = 64;
/** Lossless JPEG (ITU-T T.81 annex H): no browser reads it. */
const unknownToBrowsers = ['sharp/testimgl.jpg'];
/** Pixels that refer to colours missing from the palette: an error (PNG, 11.2.3) that decoders handle differently. */
const hasNoSuchColour = /^libpng\/contrib\/testpngs\/badpal\//;

/** Ordered from worst to best for the guest. */
const ranks = { unreadable: 0, unusable: 1, enrolled: 2 } as const;
type Outcome = keyof typeof ranks;

describe.skipIf(chromiumPath === undefined)('a photo that is chosen from files', () => {
  let harness: CaptureHarness;
  let tab: CaptureTab;
  beforeAll(async () => {
    harness = await startCaptureHarness();
    tab = await harness.open();
  });
  afterAll(() => harness?.close());

  async function enrol(photo: Uint8Array): Promise<Outcome> {
    const path = `/v1/lists/${harness.stage.listId}/people`;
    const { status } = await harness.customer.request('POST', path, enrolBody({ personId: 'guest', photo }));
    const outcome = ({ 201: 'enrolled', 400: 'unreadable', 422: 'unusable' } as const)[status];
    if (outcome === undefined) throw new Error(`answered ${status}`);
    return outcome;
  }

  const prepare = async (file: Buffer, type = '') => tab.call('prepare', file.toString('base64'), type);

  /** The result for a guest who sends it through the widget. */
  async function byWidget(file: Buffer): Promise<Outcome> {
    const prepared = await prepare(file);
    if (typeof prepared === 'string') {
      expect(prepared).toMatch(/^PhotoError: (not-a-picture|too-large)$/);
      return 'unreadable';
    }
    return enrol(photoOf(prepared).bytes);
  }

  it.each(Object.entries(readable))('is enrolled as it is elsewhere: %s', async (_name, make) => {
    expect(await byWidget(await make())).toBe('enrolled');
  });

  it.each(Object.entries(unusable))('is explained as it is elsewhere: %s', async (_name, { photo }) => {
    expect(await byWidget(await photo())).toBe('unusable');
  });

  it('broken and unusual files do at least as well in the widget as without it', async () => {
    for (const [name, make] of Object.entries(unreadable)) {
      const file = await make();
      const [here, elsewhere] = [await byWidget(file), await enrol(file)];
      expect([name, ranks[here]]).toEqual([name, expect.toSatisfy((rank) => rank >= ranks[elsewhere])]);
    }
    expect(await byWidget((await unreadable.WebP?.()) ?? Buffer.alloc(0))).toBe('enrolled');
  });

  it('is refused by its header if it would fill the memory, and the page keeps working', async () => {
    const jpeg = (await readable['baseline JPEG']?.()) ?? Buffer.alloc(0);
    for (const [width, height] of [
      [20_000, 20_000],
      [65_000, 65_000],
      [65_535, 2_000],
    ] as const) {
      expect(await prepare(claiming(jpeg, width, height))).toMatch(/^PhotoError: (too-large|not-a-picture)$/);
    }
    expect(await prepare(jpeg)).toMatchObject({ width: 640, height: 480 });
    expect(tab.complaints.filter((text) => !text.includes('blob:'))).toEqual([]);
  });

  it('leaves no URL for its bytes', async () => {
    const addresses = await tab.page.evaluate(() => {
      const made: string[] = [];
      const original = URL.createObjectURL;
      URL.createObjectURL = (object) => {
        const url = original.call(URL, object);
        made.push(url);
        return url;
      };
      Object.assign(globalThis, { made });
      return made.length;
    });
    expect(addresses).toBe(0);
    await prepare((await readable.PNG?.()) ?? Buffer.alloc(0));
    await prepare(Buffer.from('no picture'));
    const left = await tab.page.evaluate(async () => {
      const { made } = globalThis as unknown as { made: string[] };
      const alive = await Promise.all(
        made.map(
          (url) =>
            new Promise<boolean>((resolve) => {
              const image = new Image();
              image.onload = () => resolve(true);
              image.onerror = () => resolve(false);
              image.src = url;
            }),
        ),
      );
      return { made: made.length, alive: alive.filter(Boolean).length };
    });
    expect(left).toEqual({ made: 2, alive: 0 });
  });

  describe.skipIf(formats === null)('out of the odd files of other projects', () => {
    const files = (folder: string): string[] =>
      readdirSync(join(formats ?? '', folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
    const folders = ['exif-orientation', 'image-rs', 'libpng', 'pngsuite', 'sharp'];

    it.each(folders)('%s: the picture that the service sees, or no worse than a refusal', async (folder) => {
      const wrong: string[] = [];
      for (const path of files(folder)) {
        const file = readFileSync(path);
        const prepared = await prepare(file, types[extname(path).toLowerCase()] ?? '');
        const photo = typeof prepared === 'string' ? null : photoOf(prepared);
        const { expected, likeness } = await comparePictures(file, photo?.bytes ?? null);
        const name = relative(formats ?? '', path);
        if (photo !== null && Math.max(photo.width, photo.height) > 1280) wrong.push(`${name}: too large`);
        if (expected === null || unknownToBrowsers.includes(name)) continue;
        if (photo === null) {
          wrong.push(`${name}: ${String(prepared)}`);
          continue;
        }
        if (photo.width !== expected.width || photo.height !== expected.height) {
          wrong.push(`${name}: ${photo.width} × ${photo.height}, not ${expected.width} × ${expected.height}`);
          continue;
        }
        const isCompared = Math.min(photo.width, photo.height) >= COMPARED_FROM_PX && !hasNoSuchColour.test(name);
        if (isCompared && (likeness ?? 1) < LEAST_LIKENESS) wrong.push(`${name}: another picture, ${likeness}`);
      }
      expect(wrong).toEqual([]);
    });
  });
});
