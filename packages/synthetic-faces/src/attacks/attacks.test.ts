import { describe, expect, it } from 'vitest';
import { printHomography, type RenderedImage, renderCutOut, renderPrint, renderScene, renderScreen } from '../index.ts';
import { plainMaterial } from '../render/part.ts';
import { cameraOf } from '../render/place.ts';
import { projectScene } from '../render/rasteriser.ts';
import { flatPart, sheetFor, sheetHomography } from './flat.ts';

const frame = { width: 320, height: 320 } as const;
const pose = { turnDeg: 30, tiltDeg: -12, rollDeg: 7, distance: 1.6 } as const;

function mapped(h: readonly number[], u: number, v: number): readonly [number, number] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, i = 0, j = 1] = h;
  const w = g * u + i * v + j;
  return [(a * u + b * v + c) / w, (d * u + e * v + f) / w];
}

function luma(image: RenderedImage, x: number, y: number): number {
  const at = (Math.round(y - 0.5) * image.width + Math.round(x - 0.5)) * 4;
  return 0.3 * (image.data[at] ?? 0) + 0.59 * (image.data[at + 1] ?? 0) + 0.11 * (image.data[at + 2] ?? 0);
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  a.forEach((value, i) => {
    const other = b[i] ?? 0;
    ab += (value - ma) * (other - mb);
    aa += (value - ma) ** 2;
    bb += (other - mb) ** 2;
  });
  return ab / Math.sqrt(aa * bb);
}

describe('a flat sheet', () => {
  it('projects by the homography at every point, not at its corners alone', () => {
    const sheet = sheetFor(600, 800, 0.05);
    const h = sheetHomography(pose, sheet, frame);
    const camera = cameraOf(frame.width, frame.height);
    for (const [u, v] of [
      [0.5, 0.5],
      [0.2, 0.9],
      [0.75, 0.1],
    ] as const) {
      const part = flatPart(pose, sheet, frame, plainMaterial([1, 1, 1], 0, 1), [u, v, 1, 1]);
      const scene = projectScene([part], camera);
      const [x, y] = mapped(h, u, v);
      expect(scene.x[0]).toBeCloseTo(x, 3);
      expect(scene.y[0]).toBeCloseTo(y, 3);
    }
  });

  it('leaves the homography when it is bent', () => {
    const sheet = sheetFor(600, 800, 0.05);
    const h = sheetHomography(pose, sheet, frame);
    const part = flatPart({ ...pose, bend: 70 }, sheet, frame, plainMaterial([1, 1, 1], 0, 1), [0.05, 0.5, 1, 1]);
    const scene = projectScene([part], cameraOf(frame.width, frame.height));
    const [x, y] = mapped(h, 0.05, 0.5);
    expect(Math.hypot((scene.x[0] ?? 0) - x, (scene.y[0] ?? 0) - y)).toBeGreaterThan(3);
  });
});

describe('renderPrint', () => {
  it('shows the same picture through the homography of its pose', () => {
    const head = { seed: 7, noise: 0, light: { intensity: 0, ambient: 1.6 } };
    const straight = { ...frame, head, distance: 1.6 };
    const turned = { ...frame, head, ...pose };
    const [a, b] = [renderPrint(straight), renderPrint(turned)];
    const [ha, hb] = [printHomography(straight), printHomography(turned)];
    const [va, vb]: [number[], number[]] = [[], []];
    for (let u = 0.05; u < 0.96; u += 0.02) {
      for (let v = 0.05; v < 0.96; v += 0.02) {
        va.push(luma(a, ...mapped(ha, u, v)));
        vb.push(luma(b, ...mapped(hb, u, v)));
      }
    }
    expect(correlation(va, vb)).toBeGreaterThan(0.97);
  });

  it('has a white border', () => {
    const options = { ...frame, head: { seed: 7, noise: 0 }, distance: 2 };
    const image = renderPrint(options);
    const h = printHomography(options);
    expect(luma(image, ...mapped(h, -0.025, 0.5))).toBeGreaterThan(180);
  });
});

describe('renderScreen', () => {
  const options = { ...frame, head: { seed: 7, noise: 0 }, distance: 2 };

  it('glows in the dark, which a print does not', () => {
    const dark = {
      ...options,
      head: { ...options.head, light: { intensity: 0.02, ambient: 0.02 } },
      background: { brightness: 0.03 },
    };
    expect(luma(renderScreen(dark), 160, 160)).toBeGreaterThan(3 * luma(renderPrint(dark), 160, 160));
  });

  it('has a dark rim unless told otherwise, and a beat pattern that grows with `moire`', () => {
    const dark = (image: RenderedImage): number => {
      let count = 0;
      for (let x = 0; x < 320; x++) if (luma(image, x + 0.5, 160.5) < 60) count++;
      return count;
    };
    expect(dark(renderScreen(options))).toBeGreaterThan(dark(renderScreen({ ...options, bezel: false })) + 4);
    const roughness = (moire: number): number => {
      const image = renderScreen({ ...options, moire });
      let sum = 0;
      for (let x = 120; x < 200; x++) sum += Math.abs(luma(image, x + 0.5, 90.5) - luma(image, x + 1.5, 90.5));
      return sum;
    };
    expect(roughness(1)).toBeGreaterThan(1.5 * roughness(0));
  });
});

describe('renderCutOut', () => {
  const options = { ...frame, head: { seed: 7, noise: 0 }, distance: 2 };
  const empty = renderScene({ ...frame, heads: [] });
  const differing = (
    a: RenderedImage,
    b: RenderedImage,
    [x0, y0, x1, y1]: readonly [number, number, number, number],
  ) => {
    let count = 0;
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1; x++) if (Math.abs(luma(a, x + 0.5, y + 0.5) - luma(b, x + 0.5, y + 0.5)) > 12) count++;
    }
    return count / ((x1 - x0) * (y1 - y0));
  };

  it('shows the head and, round it, the room that it is held in: no border, no shoulders', () => {
    const cut = renderCutOut(options);
    const print = renderPrint(options);
    expect(differing(cut, empty, [150, 140, 170, 170])).toBeGreaterThan(0.6);
    const belowChin = [100, 240, 220, 280] as const;
    expect(differing(print, empty, belowChin)).toBeGreaterThan(0.3);
    expect(differing(cut, empty, belowChin)).toBeLessThan(0.1);
  });

  it('is worn in front of another person’s face, whose shoulders show', () => {
    const worn = renderCutOut({ ...options, wearer: 23, bend: 40 });
    expect(differing(worn, empty, [130, 250, 190, 290])).toBeGreaterThan(0.5);
    // It looks the same on every wearer.
    const other = renderCutOut({ ...options, wearer: 31, bend: 40 });
    expect(differing(worn, other, [150, 140, 170, 165])).toBeLessThan(0.05);
  });
});
