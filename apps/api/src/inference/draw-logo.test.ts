import { randomBytes } from 'node:crypto';
import { LOGO_BOX_PX, MAX_LOGO_BYTES } from '@svc/protocol';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawLogo } from './draw-logo.ts';

/** The types of a PNG's chunks, in order; throws where bytes follow the last one. */
function chunksOf(png: Uint8Array): string[] {
  const bytes = Buffer.from(png);
  const types: string[] = [];
  let at = 8;
  while (types.at(-1) !== 'IEND') {
    types.push(bytes.toString('latin1', at + 4, at + 8));
    at += bytes.readUInt32BE(at) + 12;
  }
  expect(at).toBe(bytes.length);
  return types;
}

const half = { r: 200, g: 30, b: 90, alpha: 0.5 };
const picture = (width: number, height: number) => sharp({ create: { width, height, channels: 4, background: half } });
const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 4), { raw: { width, height, channels: 4 } });

async function drawn(image: Uint8Array) {
  const png = await drawLogo(image);
  if ('reason' in png) throw new Error(png.detail);
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  return { png, data, info };
}

describe('a logo', () => {
  it('keeps its colours and its transparency', async () => {
    const { data, info } = await drawn(await picture(300, 100).png().toBuffer());
    expect(info).toMatchObject({ width: 300, height: 100, channels: 4 });
    expect([...data.subarray(0, 4)]).toEqual([200, 30, 90, 128]);
  });

  it.each([
    [2000, 500, 480, 120],
    [400, 800, 80, 160],
    [40, 30, 40, 30],
    [481, 160, 480, 160],
  ])('of %i × %i px becomes %i × %i', async (width, height, ...size) => {
    const { info } = await drawn(await picture(width, height).png().toBuffer());
    expect([info.width, info.height]).toEqual(size);
  });

  it('of a JPEG is upright, as its EXIF says', async () => {
    const { info } = await drawn(await picture(300, 100).flatten().jpeg().withMetadata({ orientation: 6 }).toBuffer());
    expect([info.width, info.height]).toEqual([53, 160]);
  });

  it('has nothing else of its file: no metadata, no profile, no bytes behind the picture', async () => {
    const marked = await picture(300, 100)
      .png()
      .withExif({ IFD0: { Copyright: 'SENTINEL' } })
      .withIccProfile('p3')
      .toBuffer();
    expect(marked.includes('SENTINEL')).toBe(true);
    const polyglot = Buffer.concat([marked, Buffer.from('<script>SENTINEL</script>PK\u0003\u0004')]);
    const { png } = await drawn(polyglot);
    expect(Buffer.from(png).includes('SENTINEL')).toBe(false);
    for (const type of chunksOf(png)) expect(['IHDR', 'PLTE', 'tRNS', 'pHYs', 'IDAT', 'IEND']).toContain(type);
  });

  it('is small enough even if it is noise', async () => {
    const { width, height } = LOGO_BOX_PX;
    const { png, info } = await drawn(await noise(width, height).png().toBuffer());
    expect(png.length).toBeLessThanOrEqual(MAX_LOGO_BYTES);
    expect(info.channels).toBe(4);
  });

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>')],
    ['a GIF', Buffer.from('R0lGODlhAQABAAAAACw=', 'base64')],
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('a logo')],
  ])('is not %s', async (_name, file) => {
    expect(await drawLogo(file)).toMatchObject({ reason: 'format' });
  });

  it('is not a WebP, a picture that was cut off, nor one that is too long', async () => {
    expect(await drawLogo(await picture(30, 30).webp().toBuffer())).toMatchObject({ measured: 'image/webp' });
    const whole = await noise(300, 100).png().toBuffer();
    expect(await drawLogo(whole.subarray(0, whole.length / 2))).toMatchObject({ reason: 'damaged' });
    expect(await drawLogo(await picture(1100, 100).png().toBuffer())).toMatchObject({ measured: 11, limit: 10 });
  });
});
