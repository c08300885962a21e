import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { countJpegScans, decodePhoto, restrictDecoders } from './decode-photo.ts';

const grey = { width: 16, height: 16, channels: 3, background: '#808080' } as const;
const jpeg = (progressive: boolean) =>
  sharp({ create: { ...grey, noise: { type: 'gaussian', mean: 128, sigma: 30 } } })
    .jpeg({ progressive })
    .toBuffer();

const segment = (marker: number, ...data: number[]) => [0xff, marker, 0, data.length + 2, ...data];
const scan = (from: number, to: number, approximation: number) => segment(0xda, 1, 1, 0x00, from, to, approximation);

/** Every bit of each coefficient of one empty block in a scan of its own: all of it as the standard has it (T.81 section G.1). */
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
    expect(countJpegScans(await jpeg(false), 100)).toBe(1);
    const progressive = countJpegScans(await jpeg(true), 100);
    expect(progressive).toBeGreaterThan(2);
    expect(progressive).toBeLessThan(20);
  });

  it('are counted behind restarts, fill bytes and nonsense, not in a segment nor behind the end', () => {
    const scanned = (...bytes: number[]) => countJpegScans(Uint8Array.from([0xff, 0xd8, ...bytes]), 100);
    const one = [...scan(0, 63, 0), 1, 0xff, 0x00, 2, 0xff, 0xd3, 3];
    expect(scanned()).toBe(0);
    expect(scanned(...one)).toBe(1);
    expect(scanned(...one, 0xff, 0xff, ...one, 0xff, 0xd9, ...one)).toBe(2);
    expect(scanned(9, 9, ...one, 9, 0xff, 0x01, ...one)).toBe(2);
    expect(scanned(...segment(0xe1, ...one), ...one)).toBe(1);
    expect(scanned(0xff, 0xda)).toBe(1);
    expect(scanned(0xff, 0xe0, 0xff)).toBe(0);
  });

  it('are counted no further than their limit', () => {
    expect(countJpegScans(slow(63), 100)).toBe(101);
  });
});

it('a photo of very many scans is refused, however small and right it is', async () => {
  restrictDecoders();
  expect(await decodePhoto(slow(7))).toMatchObject({ width: 8, height: 8 });
  expect(await decodePhoto(slow(8))).toBeNull();
  expect((await sharp(slow(63), { failOn: 'error' }).raw().toBuffer()).length).toBeGreaterThan(0);
});
