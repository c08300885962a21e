import { identitySeed, renderHead, renderScene } from '@svc/synthetic-faces';
import { encodeJpeg, encodePng } from '@svc/synthetic-faces/node';
import sharp from 'sharp';

const frame = { width: 640, height: 480 };
const guest = { seed: identitySeed(0) };

/** The guest as an ordinary JPEG; all other variants are made from these pixels. */
export async function portrait(index = 0): Promise<Buffer> {
  return Buffer.from(await encodeJpeg(renderHead({ ...frame, seed: identitySeed(index) }), 95));
}

const portraitPng = async (): Promise<Buffer> => Buffer.from(await encodePng(renderHead({ ...frame, ...guest })));

/** How EXIF 2.3 (tag 0x0112) stores an upright picture; sharp mirrors before it turns. */
async function stored(orientation: number): Promise<Buffer> {
  const upright = sharp(await portraitPng());
  const turned = {
    1: () => upright,
    2: () => upright.flop(),
    3: () => upright.rotate(180),
    4: () => upright.flip(),
    5: () => upright.flip().rotate(90),
    6: () => upright.rotate(270),
    7: () => upright.flip().rotate(270),
    8: () => upright.rotate(90),
  }[orientation as 1];
  return sharp(await turned().png().toBuffer())
    .withMetadata({ orientation })
    .jpeg({ quality: 95 })
    .toBuffer();
}

/** Comment segments (ITU-T T.81 section B.2.4.5) after the start of image: makes a valid photo of any size. */
export function withComments(jpeg: Buffer, bytes: number, text = ''): Buffer {
  const parts = [jpeg.subarray(0, 2)];
  for (let left = bytes; left > 0; ) {
    const size = Math.min(left, 65_000);
    const head = Buffer.from([0xff, 0xfe, 0, 0]);
    head.writeUInt16BE(size + 2, 2);
    parts.push(head, Buffer.alloc(size, text === '' ? 'x' : text));
    left -= size;
  }
  return Buffer.concat([...parts, jpeg.subarray(2)]);
}

/** The same JPEG with other dimensions in its frame header. */
export function claiming(jpeg: Buffer, width: number, height: number): Buffer {
  const out = Buffer.from(jpeg);
  for (let at = 2; at < out.length - 9; at += 2 + out.readUInt16BE(at + 2)) {
    if (out[at + 1] !== 0xc0 && out[at + 1] !== 0xc2) continue;
    out.writeUInt16BE(height, at + 5);
    out.writeUInt16BE(width, at + 7);
    return out;
  }
  throw new Error('no frame header');
}

/** The guest in every form that must be read; all give the same person. */
export const readable: Readonly<Record<string, () => Promise<Buffer>>> = {
  'baseline JPEG': () => portrait(),
  'progressive JPEG': async () =>
    sharp(await portraitPng())
      .jpeg({ quality: 95, progressive: true })
      .toBuffer(),
  'JPEG without subsampling': async () =>
    sharp(await portraitPng())
      .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
      .toBuffer(),
  'CMYK JPEG': async () =>
    sharp(await portraitPng())
      .toColourspace('cmyk')
      .jpeg({ quality: 95 })
      .toBuffer(),
  'JPEG with an embedded colour profile': async () =>
    sharp(await portraitPng())
      .withIccProfile('p3')
      .jpeg({ quality: 95 })
      .toBuffer(),
  PNG: portraitPng,
  'interlaced PNG': async () =>
    sharp(await portraitPng())
      .png({ progressive: true })
      .toBuffer(),
  '16-bit PNG': async () =>
    sharp(await portraitPng())
      .toColourspace('rgb16')
      .png()
      .toBuffer(),
  'PNG with an alpha channel': async () =>
    sharp(await portraitPng())
      .ensureAlpha(0.999)
      .png()
      .toBuffer(),
  'a photo of 12 megapixels': async () =>
    sharp(await portraitPng())
      .resize(4000, 3000)
      .jpeg({ quality: 90 })
      .toBuffer(),
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => [`EXIF orientation ${orientation}`, () => stored(orientation)]),
  ),
};

/** Files that are not readable as JPEG or PNG. */
export const unreadable: Readonly<Record<string, () => Promise<Buffer>>> = {
  'a text': () => Promise.resolve(Buffer.from('no picture at all')),
  'one byte': () => Promise.resolve(Buffer.from([0xff])),
  'a truncated JPEG': async () => (await portrait()).subarray(0, 9_000),
  'a truncated PNG': async () => (await portraitPng()).subarray(0, 9_000),
  'a JPEG without its end': async () => (await portrait()).subarray(0, -2_000),
  GIF: async () =>
    sharp(await portraitPng())
      .gif()
      .toBuffer(),
  WebP: async () =>
    sharp(await portraitPng())
      .webp()
      .toBuffer(),
  TIFF: async () =>
    sharp(await portraitPng())
      .tiff()
      .toBuffer(),
  SVG: () => Promise.resolve(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"/>')),
  'a header that claims 64250 × 64250': async () => claiming(await portrait(), 64_250, 64_250),
  'a GIF that begins like a JPEG': async () => {
    const gif = await sharp(await portraitPng())
      .gif()
      .toBuffer();
    gif.set([0xff, 0xd8, 0xff]);
    return gif;
  },
};

const jpegOf = async (image: Parameters<typeof encodeJpeg>[0]) => Buffer.from(await encodeJpeg(image));
const beside = [
  { seed: identitySeed(0), centreX: 0.28, distance: 1.3 },
  { seed: identitySeed(1), centreX: 0.72, distance: 1.3 },
];

/** Valid photos without a single usable face, by the code of the answer. */
export const unusable: Readonly<Record<string, { readonly code: string; readonly photo: () => Promise<Buffer> }>> = {
  'an empty room': { code: 'no-face', photo: () => jpegOf(renderScene({ ...frame, heads: [] })) },
  'a single pixel': {
    code: 'no-face',
    photo: () =>
      sharp({ create: { width: 1, height: 1, channels: 3, background: '#888' } })
        .png()
        .toBuffer(),
  },
  'two faces': { code: 'several-faces', photo: () => jpegOf(renderScene({ ...frame, heads: beside })) },
  'a tiny face': {
    code: 'face-too-small',
    photo: () => jpegOf(renderHead({ width: 320, height: 240, ...guest, distance: 3 })),
  },
  'a face turned away': { code: 'turned-away', photo: () => jpegOf(renderHead({ ...frame, ...guest, yawDeg: 50 })) },
};
