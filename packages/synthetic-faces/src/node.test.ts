import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeJpeg, encodePng, type RenderedImage, renderHead, writeMjpeg, writeY4m } from './node.ts';

const image = renderHead({ seed: 7, width: 64, height: 48 });
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'synthetic-faces-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const flat = (r: number, g: number, b: number, width = 4, height = 2): RenderedImage => ({
  data: Uint8Array.from({ length: width * height * 4 }, (_, i) => [r, g, b, 255][i % 4] ?? 0),
  width,
  height,
  channels: 4,
});

describe('encodeJpeg, encodePng', () => {
  it('encodes a JPEG close to the picture', async () => {
    const jpeg = await encodeJpeg(image, 95);
    const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([64, 48, 3]);
    let sum = 0;
    for (let i = 0; i < 64 * 48; i++) sum += Math.abs((data[i * 3 + 1] ?? 0) - (image.data[i * 4 + 1] ?? 0));
    expect(sum / (64 * 48)).toBeLessThan(4);
  });

  it('encodes a PNG without loss', async () => {
    const { data } = await sharp(await encodePng(image))
      .raw()
      .toBuffer({ resolveWithObject: true });
    for (let i = 0; i < 64 * 48; i++) {
      for (let k = 0; k < 3; k++) if (data[i * 3 + k] !== image.data[i * 4 + k]) expect.fail('pixels differ');
    }
    expect(data.length).toBe(64 * 48 * 3);
  });
});

describe('writeY4m', () => {
  it('writes header, frames and limited-range planes', async () => {
    const path = join(folder, 'clip.y4m');
    expect(await writeY4m(path, [flat(255, 255, 255), flat(0, 0, 0), flat(255, 0, 0)], 15)).toBe(3);
    const bytes = await readFile(path);
    const header = 'YUV4MPEG2 W4 H2 F15:1 Ip A1:1 C420jpeg\n';
    expect(bytes.subarray(0, header.length).toString()).toBe(header);
    const frame = 6 + 8 + 2 + 2;
    expect(bytes.length).toBe(header.length + 3 * frame);
    const planes = (i: number): number[] => [
      ...bytes.subarray(header.length + i * frame + 6, header.length + (i + 1) * frame),
    ];
    expect(planes(0)).toEqual([...Array(8).fill(235), 128, 128, 128, 128]);
    expect(planes(1)).toEqual([...Array(8).fill(16), 128, 128, 128, 128]);
    expect(planes(2)).toEqual([...Array(8).fill(81), 90, 90, 240, 240]);
  });

  it('refuses odd and changing sizes', async () => {
    await expect(writeY4m(join(folder, 'odd.y4m'), [flat(0, 0, 0, 3, 2)], 15)).rejects.toThrow(RangeError);
    await expect(writeY4m(join(folder, 'two.y4m'), [flat(0, 0, 0), flat(0, 0, 0, 6, 2)], 15)).rejects.toThrow(
      RangeError,
    );
  });
});

describe('writeMjpeg', () => {
  it('writes whole JPEG pictures one after another', async () => {
    const path = join(folder, 'clip.mjpeg');
    expect(await writeMjpeg(path, [image, image])).toBe(2);
    const bytes = await readFile(path);
    const second = bytes.length / 2;
    expect([bytes[0], bytes[1], bytes[second], bytes[second + 1]]).toEqual([0xff, 0xd8, 0xff, 0xd8]);
    expect((await sharp(bytes.subarray(second)).metadata()).width).toBe(64);
  });
});
