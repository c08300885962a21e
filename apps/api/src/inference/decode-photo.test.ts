import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { countJpegScans, type DecodedPhoto, decodePhoto, restrictDecoders } from './decode-photo.ts';

/** @throws Error for a picture that cannot be read */
async function decoded(file: Uint8Array): Promise<DecodedPhoto> {
  const photo = await decodePhoto(file);
  if ('reason' in photo) throw new Error(photo.detail);
  return photo;
}

describe('decode photo', () => {
  /** Muted colours, which CMYK can represent. */
  const [RED, GREEN, BLUE] = [
    [170, 60, 60],
    [70, 140, 80],
    [60, 70, 150],
  ] as const;

  /** 60 × 40: left half red, right half blue, a green bar on top. */
  function picture() {
    const data = Buffer.alloc(60 * 40 * 3);
    for (let y = 0; y < 40; y += 1) {
      for (let x = 0; x < 60; x += 1) data.set(y < 8 ? GREEN : x < 30 ? RED : BLUE, (y * 60 + x) * 3);
    }
    return sharp(data, { raw: { width: 60, height: 40, channels: 3 } });
  }

  const at = (photo: DecodedPhoto, x: number, y: number) =>
    Array.from(photo.data.subarray((y * photo.width + x) * 3, (y * photo.width + x) * 3 + 3));
  const isNear = (actual: number[], expected: readonly number[]) =>
    actual.every((v, i) => Math.abs(v - (expected[i] ?? 0)) < 30);

  /** A PNG chunk (RFC 2083 section 3.2) with a valid checksum. */
  function pngChunk(type: string, data: Buffer): Buffer {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(data.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  }

  const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  /** A PNG of black grey-scale pixels, about a thousandth of its raw size. @param bytes of its rows; default: all */
  function blackPng(width: number, height: number, bytes = (width + 1) * height): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.set([8, 0, 0, 0, 0], 8);
    const rows = deflateSync(Buffer.alloc(bytes), { level: 9 });
    const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', rows), pngChunk('IEND', Buffer.alloc(0))];
    return Buffer.concat([PNG_SIGNATURE, ...chunks]);
  }

  let jpeg: Buffer;
  beforeAll(async () => {
    jpeg = await picture().jpeg({ quality: 95 }).toBuffer();
    restrictDecoders();
  });

  /** The same JPEG with other dimensions in its frame header. */
  function withSize(source: Buffer, width: number, height: number): Buffer {
    const out = Buffer.from(source);
    for (let i = 2; i < out.length - 9; i += 2 + out.readUInt16BE(i + 2)) {
      if (out[i + 1] === 0xc0 || out[i + 1] === 0xc2) {
        out.writeUInt16BE(height, i + 5);
        out.writeUInt16BE(width, i + 7);
        return out;
      }
    }
    throw new Error('no frame header');
  }

  describe('what is read', () => {
    const kinds: Record<string, () => Promise<Buffer>> = {
      'baseline JPEG': () => picture().jpeg({ quality: 95 }).toBuffer(),
      'progressive JPEG': () => picture().jpeg({ quality: 95, progressive: true }).toBuffer(),
      'CMYK JPEG': () => picture().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
      'JPEG without subsampling': () => picture().jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer(),
      PNG: () => picture().png().toBuffer(),
      'interlaced PNG': () => picture().png({ progressive: true }).toBuffer(),
      'palette PNG': () => picture().png({ palette: true }).toBuffer(),
      '16-bit PNG': () => picture().toColourspace('rgb16').png().toBuffer(),
    };
    it.each(Object.keys(kinds))('%s', async (kind) => {
      const photo = await decoded(await (kinds[kind]?.() ?? Promise.reject()));
      expect([photo.width, photo.height, photo.data.length]).toEqual([60, 40, 7200]);
      expect(isNear(at(photo, 10, 30), RED)).toBe(true);
      expect(isNear(at(photo, 50, 30), BLUE)).toBe(true);
      expect(isNear(at(photo, 30, 3), GREEN)).toBe(true);
    });

    it('grey as three equal channels', async () => {
      for (const format of ['jpeg', 'png'] as const) {
        const photo = await decoded(await picture().greyscale().toColourspace('b-w').toFormat(format).toBuffer());
        expect(photo.data.length).toBe(7200);
        const [r, g, b] = at(photo, 10, 30);
        expect([g, b]).toEqual([r, r]);
      }
    });

    it('transparent parts as white', async () => {
      const clear = await sharp({
        create: { width: 8, height: 8, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
      })
        .png()
        .toBuffer();
      const photo = await decoded(clear);
      expect(at(photo, 4, 4)).toEqual([255, 255, 255]);
    });

    it.each([
      [3, 180],
      [6, 270],
      [8, 90],
    ])('upright, whatever EXIF orientation %i says of how it is stored', async (orientation, degrees) => {
      const turned = await picture().rotate(degrees).png().toBuffer();
      const photo = await decoded(await sharp(turned).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer());
      expect([photo.width, photo.height]).toEqual([60, 40]);
      expect(isNear(at(photo, 30, 3), GREEN)).toBe(true);
      expect(isNear(at(photo, 10, 30), RED)).toBe(true);
    });

    it('at most 1280 pixels on the longest side, and never enlarged', async () => {
      const size = async (width: number, height: number) => {
        const blank = sharp({ create: { width, height, channels: 3, background: '#888' } });
        const photo = await decoded(await blank.jpeg().toBuffer());
        return [photo.width, photo.height];
      };
      expect(await size(3000, 1500)).toEqual([1280, 640]);
      expect(await size(700, 2800)).toEqual([320, 1280]);
      expect(await size(1280, 1280)).toEqual([1280, 1280]);
      expect(await size(1, 1)).toEqual([1, 1]);
    });
  });

  describe('what is refused', () => {
    const ftyp = (brand: string) => Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}`)]);
    const [PIXELS, SIDE, ASPECT] = [25_000_000, 16_384, 10];
    it.each([
      ['nothing', Buffer.alloc(0), 'format'],
      ['a text', Buffer.from('this is no image'), 'format'],
      ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'format', 'image/svg+xml'],
      ['AVIF', ftyp('avif'), 'format', 'image/avif'],
      ['HEIC', ftyp('heic'), 'format', 'image/heic'],
      ['HEIF', ftyp('mif1'), 'format', 'image/heif'],
      ['a film', ftyp('isom'), 'format'],
      ['the head of a JPEG alone', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'damaged'],
      ['the head of a PNG alone', PNG_SIGNATURE, 'damaged'],
      ['a PNG whose rows are missing', blackPng(1000, 1000, 1024), 'damaged'],
      ['7000 × 7000 in a PNG header', blackPng(7_000, 7_000, 1024), 'dimensions', 49_000_000, PIXELS],
      ['64250 × 64250 in a PNG header', blackPng(64_250, 64_250, 1024), 'dimensions', 64_250 ** 2, PIXELS],
      ['one pixel wide', blackPng(1, 1_000_000), 'dimensions', 1_000_000, SIDE],
      ['one pixel high', blackPng(1_000_000, 1), 'dimensions', 1_000_000, SIDE],
      ['2³¹−1 × 1 in a PNG header', blackPng(2 ** 31 - 1, 1, 1024), 'damaged'],
      ['a strip', blackPng(100, 1_001), 'dimensions', 10.01, ASPECT],
      ['a side that is too long', blackPng(16_385, 1_639), 'dimensions', 26_855_015, PIXELS],
      ['a PNG of more pixels than are inflated', blackPng(5_001, 5_000), 'dimensions', 25_005_000, PIXELS],
    ] as const)('%s, and no pixel of it is decoded', async (name, bytes, reason, measured?, limit?) => {
      const pixels = vi.spyOn(sharp.prototype, 'toBuffer');
      expect(await decodePhoto(bytes)).toEqual({
        ...{ reason, detail: expect.any(String) as string },
        ...(measured === undefined ? {} : { measured }),
        ...(limit === undefined ? {} : { limit }),
      });
      if (reason !== 'damaged') expect(pixels, name).not.toHaveBeenCalled();
      pixels.mockRestore();
    });

    it.each(['gif', 'webp', 'tiff'] as const)('%s, also when the loader would know it', async (format) => {
      const file = await picture().toFormat(format).toBuffer();
      expect(await decodePhoto(file)).toMatchObject({ reason: 'format', measured: `image/${format}` });
    });

    it('a TIFF or GIF that begins like a JPEG', async () => {
      for (const format of ['gif', 'tiff'] as const) {
        const bytes = await picture().toFormat(format).toBuffer();
        bytes.set([0xff, 0xd8, 0xff], 0);
        expect(await decodePhoto(bytes)).toMatchObject({ reason: 'damaged' });
      }
    });

    it('64250 × 64250 in a JPEG header, without the time and the memory for it', async () => {
      const before = process.memoryUsage().rss;
      const startedAt = performance.now();
      expect(await decodePhoto(withSize(jpeg, 64_250, 64_250))).toMatchObject({ limit: 50_000_000 });
      expect(await decodePhoto(withSize(jpeg, 65_535, 65_535))).toMatchObject({ reason: 'dimensions', limit: SIDE });
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20);
    });

    it('but not one at the limits', async () => {
      expect(await decodePhoto(blackPng(100, 1_000))).toMatchObject({ width: 100, height: 1_000 });
      expect(await decodePhoto(withSize(jpeg, 60, 40))).toMatchObject({ width: 60, height: 40 });
    });

    it('a picture that is not decoded in its time', async () => {
      const pixels = vi.spyOn(sharp.prototype, 'toBuffer').mockRejectedValue(new Error('timeout: 12% complete'));
      expect(await decodePhoto(jpeg)).toMatchObject({ reason: 'time', limit: 10 });
      pixels.mockRestore();
    });

    it('a progressive JPEG of a size that would be held whole', async () => {
      const progressive = await picture().jpeg({ progressive: true }).toBuffer();
      expect(await decodePhoto(withSize(progressive, 6_000, 6_000))).toMatchObject({
        reason: 'dimensions',
        limit: PIXELS,
      });
    });

    it('a JPEG or PNG that is cut off, wherever', async () => {
      const png = await picture().png().toBuffer();
      for (const share of [0.3, 0.5, 0.7, 0.9]) {
        for (const whole of [jpeg, png]) {
          const cut = whole.subarray(0, Math.floor(whole.length * share));
          expect(await decodePhoto(cut)).toEqual({ reason: 'damaged', detail: 'The picture is damaged or cut off.' });
        }
      }
    });

    it('every other loader, in the whole process', async () => {
      await expect(sharp(await picture().gif().toBuffer()).metadata()).rejects.toThrow();
      await expect(
        sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')).metadata(),
      ).rejects.toThrow();
    });
  });
});

describe('jpeg scans', () => {
  const grey = { width: 16, height: 16, channels: 3, background: '#808080' } as const;
  const jpeg = (progressive: boolean) =>
    sharp({ create: { ...grey, noise: { type: 'gaussian', mean: 128, sigma: 30 } } })
      .jpeg({ progressive })
      .toBuffer();

  const segment = (marker: number, ...data: number[]) => [0xff, marker, 0, data.length + 2, ...data];
  const scan = (from: number, to: number, approximation: number) => segment(0xda, 1, 1, 0x00, from, to, approximation);

  /**
   * A scan for every bit of each coefficient of one empty block: the most that the standard permits (T.81 section G.1).
   */
  function slow(coefficients: number): Buffer {
    const bitPlanes = [0x0d, 0xdc, 0xcb, 0xba, 0xa9, 0x98, 0x87, 0x76, 0x65, 0x54, 0x43, 0x32, 0x21, 0x10];
    const out = [0xff, 0xd8, ...segment(0xdb, 0, ...new Array<number>(64).fill(1))];
    out.push(...segment(0xc2, 8, 0, 8, 0, 8, 1, 1, 0x11, 0));
    for (const table of [0x00, 0x10]) out.push(...segment(0xc4, table, 1, ...new Array<number>(15).fill(0), 0));
    out.push(...scan(0, 0, 0), 0x7f);
    for (let k = 1; k <= coefficients; k += 1) for (const plane of bitPlanes) out.push(...scan(k, k, plane), 0x7f);
    return Buffer.from([...out, 0xff, 0xd9]);
  }

  describe('scans', () => {
    it('of what encoders write', async () => {
      expect(countJpegScans(await jpeg(false))).toBe(1);
      const progressive = countJpegScans(await jpeg(true));
      expect(progressive).toBeGreaterThan(2);
      expect(progressive).toBeLessThan(20);
    });

    it('are counted behind restarts, fill bytes and nonsense, not in a segment nor behind the end', () => {
      const scanned = (...bytes: number[]) => countJpegScans(Uint8Array.from([0xff, 0xd8, ...bytes]));
      const one = [...scan(0, 63, 0), 1, 0xff, 0x00, 2, 0xff, 0xd3, 3];
      expect(scanned()).toBe(0);
      expect(scanned(...one)).toBe(1);
      expect(scanned(...one, 0xff, 0xff, ...one, 0xff, 0xd9, ...one)).toBe(2);
      expect(scanned(9, 9, ...one, 9, 0xff, 0x01, ...one)).toBe(2);
      expect(scanned(...segment(0xe1, ...one), ...one)).toBe(1);
      expect(scanned(0xff, 0xda)).toBe(1);
      expect(scanned(0xff, 0xe0, 0xff)).toBe(0);
    });
  });

  it('a photo of very many scans is refused, however small and right it is', async () => {
    restrictDecoders();
    expect(await decodePhoto(slow(7))).toMatchObject({ width: 8, height: 8 });
    expect(await decodePhoto(slow(8))).toMatchObject({ reason: 'time', measured: countJpegScans(slow(8)), limit: 100 });
    expect((await sharp(slow(63), { failOn: 'error' }).raw().toBuffer()).length).toBeGreaterThan(0);
  });
});
