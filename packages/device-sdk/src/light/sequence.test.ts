import { describe, expect, it } from 'vitest';
import { webRandom } from '../platform/platform.ts';
import { type LightColour, lightPalette, linearColour, restingLight } from './colours.ts';
import { STANDARD_LIGHT_POLICY } from './policy.ts';
import { drawLightSequence, lightOrders, sequenceMs } from './sequence.ts';

/** Relative luminance, 0..1 (WCAG 2.2, “relative luminance”). */
function relativeLuminance(colour: LightColour): number {
  const [r, g, b] = linearColour(colour);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** R / (R + G + B) in linear light: from 0.8 a colour is a saturated red (WCAG 2.2, “red flash”; ISO 9241-391). */
function redShare(colour: LightColour): number {
  const [r, g, b] = linearColour(colour);
  const sum = r + g + b;
  return sum === 0 ? 0 : r / sum;
}

const policy = STANDARD_LIGHT_POLICY;
const draw = () => drawLightSequence(webRandom);

describe('colours for people who are sensitive to light', () => {
  it('have luminances so alike that a change of them is no flash (WCAG 2.3.1: 0.1; ITU-R BT.1702: 20 cd/m²)', () => {
    const luminances = [...lightPalette, restingLight].map(relativeLuminance);
    const swing = Math.max(...luminances) - Math.min(...luminances);
    expect(swing).toBeLessThan(0.01);
    // On a screen of 1,000 cd/m².
    expect(1_000 * swing).toBeLessThan(20);
  });

  it('are no saturated red, nor in the pairs that ISO 9241-391 counts', () => {
    for (const colour of lightPalette) expect(redShare(colour)).toBeLessThan(0.7);
  });

  it('differ from each other by a third of full scale in a channel of linear light', () => {
    for (const a of lightPalette) {
      for (const b of lightPalette) {
        if (a === b) continue;
        const [x, y] = [linearColour(a), linearColour(b)];
        expect(Math.max(...x.map((value, k) => Math.abs(value - (y[k] ?? 0))))).toBeGreaterThan(1 / 3);
      }
    }
  });
});

describe('a drawn sequence', () => {
  it('changes less than three times a second', () => {
    for (let i = 0; i < 500; i++) for (const { durationMs } of draw()) expect(durationMs).toBeGreaterThan(1_000 / 3);
  });

  it('never repeats a colour at once, has at least three, and is shown within 3.1 seconds', () => {
    for (let i = 0; i < 500; i++) {
      const sequence = draw();
      expect(sequence).toHaveLength(policy.steps);
      expect(new Set(sequence.map(({ colour }) => colour)).size).toBeGreaterThanOrEqual(3);
      sequence.slice(1).forEach(({ colour }, k) => {
        expect(colour).not.toBe(sequence[k]?.colour);
      });
      expect(sequenceMs(sequence)).toBeLessThanOrEqual(3_080);
    }
  });

  it('is one of the possible orders', () => {
    const orders = lightOrders(policy.steps).map((order) => order.join(''));
    expect(new Set(orders).size).toBe(2_904);
    for (let i = 0; i < 100; i++) {
      const order = draw().map(({ colour }) => lightPalette.indexOf(colour as (typeof lightPalette)[number]));
      expect(orders).toContain(order.join(''));
    }
  });

  it('draws again if a byte would favour a colour', () => {
    // 255 is the last of an incomplete round of three.
    const bytes = [0, 255, 0, 255, 1, 0, 1, 2, 0, 0, ...Array.from({ length: 40 }, () => 7)];
    let used = 0;
    const sequence = drawLightSequence({ bytes: (length) => Uint8Array.from({ length }, () => bytes[used++] ?? 0) });
    expect(sequence.map(({ colour }) => lightPalette.indexOf(colour as (typeof lightPalette)[number]))).toEqual([
      0, 1, 2, 0, 2, 3, 0,
    ]);
  });
});
