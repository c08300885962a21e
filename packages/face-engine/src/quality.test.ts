import { loadCore } from '@svc/core';
import { describe, expect, it } from 'vitest';
import { meanFace, toChip } from './embed/alignment.ts';
import { measured, QualityMeter, sharpnessOf } from './quality.ts';

const side = 150;

/** Landmarks of a face placed exactly as on the chip, `dx` pixels to the right. */
function chipFace(dx = 0): Float32Array {
  const landmarks = new Float32Array(468 * 3);
  for (let i = 0; i < 468; i++) landmarks.set([75 + dx, 75, 0], 3 * i);
  for (const [index, x, y] of meanFace) landmarks.set([toChip(x) + dx, toChip(y), 0], 3 * index);
  return landmarks;
}

async function measure(paint: (x: number, y: number) => number, landmarks = chipFace()) {
  const core = await loadCore();
  const data = new Uint8Array(side * side * 3);
  for (let i = 0; i < side * side; i++) data.fill(paint(i % side, Math.floor(i / side)), 3 * i, 3 * i + 3);
  const image = core.image({ data, width: side, height: side, channels: 3 });
  try {
    return new QualityMeter().measure(image, landmarks);
  } finally {
    image.dispose();
  }
}

const stripes = (x: number, y: number): number => ((x + y) % 6 < 3 ? 90 : 160);

describe('QualityMeter', () => {
  it('measures light on the face alone', async () => {
    const inFace = (x: number, y: number): boolean => ((x - 75) / 45) ** 2 + ((y - 73) / 57) ** 2 < 1;
    const grey = await measure((x, y) => (inFace(x, y) ? 102 : 255));
    expect(grey.brightness).toBeCloseTo(0.4, 2);
    expect(grey.contrast).toBeCloseTo(0, 2);
    expect(grey.overexposed).toBe(0);
    expect((await measure(() => 255)).overexposed).toBe(1);
  });

  it('measures sizes in source pixels', async () => {
    const { interEyePx, faceWidthPx } = await measure(stripes);
    expect(interEyePx).toBeCloseTo(52.4, 0);
    expect(faceWidthPx).toBeCloseTo(73.7, 0);
  });

  it('counts the part of a face beyond the frame as not covered by it', async () => {
    expect((await measure(stripes)).coverage).toBe(1);
    const { coverage } = await measure(stripes, chipFace(80));
    expect(coverage).toBeLessThan(0.2);
  });

  it('sees that nothing is to be seen where an eye or the mouth should be', async () => {
    const levelled = (left: number, top: number, right: number, bottom: number) => (x: number, y: number) =>
      x >= left && x < right && y >= top && y < bottom ? 40 : stripes(x, y);
    expect((await measure(levelled(84, 34, 118, 60))).coverage).toBeLessThan(0.3);
    expect((await measure(levelled(30, 85, 120, 150))).coverage).toBeLessThan(0.3);
  });

  it('gives 0 and not NaN on black', async () => {
    const black = await measure(() => 0);
    expect(black.brightness).toBe(0);
    expect(black.sharpness).toBe(0);
    expect(black.coverage).toBe(0);
  });
});

describe('sharpnessOf', () => {
  const { width, height } = measured;

  it('falls with every blur, and does not depend on contrast', () => {
    let state = 1;
    let luma = Uint8Array.from({ length: width * height }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state >>> 24) & 0xfe;
    });
    const halved = sharpnessOf(luma.map((v) => v >> 1));
    expect(halved).toBeCloseTo(sharpnessOf(luma), 2);
    const untouched = sharpnessOf(luma);
    let last = untouched;
    for (let round = 0; round < 4; round++) {
      luma = luma.map(
        (v, i) => (v + (luma[i - 1] ?? v) + (luma[i + 1] ?? v) + (luma[i - width] ?? v) + (luma[i + width] ?? v)) / 5,
      );
      const now = sharpnessOf(luma);
      expect(now).toBeLessThan(last);
      last = now;
    }
    expect(last).toBeLessThan(untouched - 0.1);
  });

  it('lets the worse direction count', () => {
    const vertical = Uint8Array.from({ length: width * height }, (_, i) => (i % 2) * 100);
    expect(sharpnessOf(vertical)).toBe(0);
  });
});
