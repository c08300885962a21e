import { ok } from 'node:assert/strict';
import { type AffineTransform, loadCore, type PixelImage } from '@svc/core';
import type { BenchCase, Ratio, SuiteFactory } from '../suite.ts';

/**
 * Bilinear sampling at the pixel's centre, as in most image code: without area averaging, so it aliases when shrinking.
 */
function bilinearToFloat(image: PixelImage, t: AffineTransform, size: number, out: Float32Array): Float32Array {
  const { data, width, height, channels } = image;
  for (let y = 0, at = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const sx = t.a * (x + 0.5) + t.b * (y + 0.5) + t.c - 0.5;
      const sy = t.d * (x + 0.5) + t.e * (y + 0.5) + t.f - 0.5;
      const x0 = Math.max(0, Math.min(width - 2, Math.floor(sx)));
      const y0 = Math.max(0, Math.min(height - 2, Math.floor(sy)));
      const fx = Math.max(0, Math.min(1, sx - x0));
      const fy = Math.max(0, Math.min(1, sy - y0));
      const top = (y0 * width + x0) * channels;
      const bottom = top + width * channels;
      for (let c = 0; c < 3; c++) {
        const left = (data[top + c] as number) * (1 - fy) + (data[bottom + c] as number) * fy;
        const right = (data[top + channels + c] as number) * (1 - fy) + (data[bottom + channels + c] as number) * fy;
        out[at++] = left * (1 - fx) + right * fx;
      }
    }
  }
  return out;
}

const width = 640;
const height = 480;

/** Red rises along x, green along y: the expected value of any warp is known everywhere. */
function gradient(): PixelImage {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) data.set([(x / width) * 255, (y / height) * 255, 0, 255], at);
  }
  return { data, width, height, channels: 4 };
}

/** A square of the source, turned about its centre, onto a target of `size` pixels. */
function turnedSquare(side: number, degrees: number, size: number): AffineTransform {
  const scale = side / size;
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180) * scale, Math.sin((degrees * Math.PI) / 180) * scale];
  const centre = size / 2;
  return {
    a: cos,
    b: -sin,
    c: width / 2 - cos * centre + sin * centre,
    d: sin,
    e: cos,
    f: height / 2 - sin * centre - cos * centre,
  };
}

function checkGradient(values: Float32Array, t: AffineTransform, size: number): void {
  for (let y = 0; y < size; y += 7) {
    for (let x = 0; x < size; x += 7) {
      const sx = t.a * (x + 0.5) + t.b * (y + 0.5) + t.c;
      const sy = t.d * (x + 0.5) + t.e * (y + 0.5) + t.f;
      const at = (y * size + x) * 3;
      // Truncation to bytes and half a pixel (a fifth of a level): within two levels.
      ok(Math.abs((values[at] ?? Number.NaN) - (sx / width) * 255) < 2);
      ok(Math.abs((values[at + 1] ?? Number.NaN) - (sy / height) * 255) < 2);
    }
  }
}

const warps = [
  { label: '470 px square to 128 px (detector)', transform: turnedSquare(470, 0, 128), size: 128 },
  { label: '200 px square, turned 15°, to 192 px (mesh)', transform: turnedSquare(200, 15, 192), size: 192 },
  { label: '320 px square, turned 15°, to 150 px (chip)', transform: turnedSquare(320, 15, 150), size: 150 },
] as const;

/** The warps that feed the models. */
export const createSuite: SuiteFactory = async () => {
  const core = await loadCore();
  const picture = gradient();
  const image = core.image(picture);
  const cases = warps.flatMap(({ label, transform, size }): BenchCase[] => {
    const out = new Float32Array(size * size * 3);
    const warp = () => image.warpToFloat(transform, size, size, { out });
    const plain = () => bilinearToFloat(picture, transform, size, out);
    return [
      { name: `wasm, area-true: ${label}`, run: warp, check: () => checkGradient(warp(), transform, size) },
      { name: `plain JS, bilinear: ${label}`, run: plain, check: () => checkGradient(plain(), transform, size) },
    ];
  });
  return {
    title: 'Warps',
    about: `From a ${width}×${height} RGBA frame to RGB floats. The peer is the usual bilinear sampling in plain JS, which looks at four pixels whatever the scale; ours averages over the whole footprint.`,
    cases: [
      {
        name: 'open and dispose a frame',
        run: () => core.image(picture).dispose(),
        check: () => {
          const opened = core.image(picture);
          ok(opened.width === width && opened.height === height);
          opened.dispose();
        },
      },
      ...cases,
    ],
    ratios: warps.map(
      ({ label }): Ratio => ({ name: label, fast: `wasm, area-true: ${label}`, slow: `plain JS, bilinear: ${label}` }),
    ),
  };
};
