import { encodeJpeg, encodePng, identitySeed, renderHead, renderScene } from '@svc/synthetic-faces';
import sharp, { type Sharp } from 'sharp';

const frame = { width: 640, height: 480 };
const guest = { seed: identitySeed(0) };

/** The guest as an ordinary JPEG; all other variants are made from these pixels. */
export async function portrait(index = 0): Promise<Buffer> {
  return Buffer.from(await encodeJpeg(renderHead({ ...frame, seed: identitySeed(index) }), 95));
}

const portraitPng = async (): Promise<Buffer> => Buffer.from(await encodePng(renderHead({ ...frame, ...guest })));

/** As EXIF 2.3 (tag 0x0112) stores an upright picture that a phone took lying. */
async function storedLying(): Promise<Buffer> {
  const turned = await sharp(await portraitPng())
    .rotate(270)
    .png()
    .toBuffer();
  return sharp(turned).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
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

const portraitAs = async (change: (upright: Sharp) => Sharp): Promise<Buffer> =>
  change(sharp(await portraitPng())).toBuffer();

/** The guest in forms that must be read; all give the same person. */
export const readable: Readonly<Record<string, () => Promise<Buffer>>> = {
  'CMYK JPEG': () => portraitAs((upright) => upright.toColourspace('cmyk').jpeg({ quality: 95 })),
  '16-bit PNG': () => portraitAs((upright) => upright.toColourspace('rgb16').png()),
  'EXIF orientation 6': storedLying,
};

/** Files that are not readable as JPEG or PNG. */
export const unreadable: Readonly<Record<string, () => Promise<Buffer>>> = {
  'a text': () => Promise.resolve(Buffer.from('no picture at all')),
  'a truncated JPEG': async () => (await portrait()).subarray(0, 9_000),
  WebP: () => portraitAs((upright) => upright.webp()),
  'a header that claims 64250 × 64250': async () => claiming(await portrait(), 64_250, 64_250),
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
