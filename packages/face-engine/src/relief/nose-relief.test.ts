import { describe, expect, it, vi } from 'vitest';
import { drawnRelief } from '../testing/drawn-relief.ts';
import { measureNoseRelief, reliefChipSize } from './nose-relief.ts';

const front = drawnRelief({ yawDeg: 0, depth: 0.4 });
const measured = (yawDeg: number, depth: number) =>
  measureNoseRelief(front, drawnRelief({ yawDeg, depth })) ?? expect.unreachable();

describe('measureNoseRelief', () => {
  it.each([15, 25, 33, -15, -25, -33])('finds the nose of a head turned by %d° where it stands out to', (yawDeg) => {
    const { offset, widthKept, agreement } = measured(yawDeg, 0.4);
    // In units of the plane, which the turn has narrowed.
    expect(offset).toBeCloseTo(0.4 * Math.tan((yawDeg * Math.PI) / 180), 1);
    expect(widthKept).toBeCloseTo(Math.cos((yawDeg * Math.PI) / 180), 1);
    expect(agreement).toBeGreaterThan(0.7);
  });

  it.each([20, 40, 50, -45])('finds nothing on a sheet turned by %d° but that it has narrowed', (yawDeg) => {
    const { offset, widthKept, agreement } = measured(yawDeg, 0);
    expect(Math.abs(offset)).toBeLessThan(0.03);
    expect(widthKept).toBeCloseTo(Math.cos((yawDeg * Math.PI) / 180), 1);
    expect(agreement).toBeGreaterThan(0.9);
  });

  it('goes by the pixels: a sheet stays one where its landmarks are those of a turned head', () => {
    const sheet = drawnRelief({ yawDeg: 30, depth: 0 });
    const landmarks = sheet.landmarks.slice();
    for (const index of [1, 2, 4]) landmarks[3 * index] = (landmarks[3 * index] ?? 0) + 15;
    const relief = measureNoseRelief(front, { ...sheet, landmarks }) ?? expect.unreachable();
    expect(Math.abs(relief.offset)).toBeLessThan(0.03);
  });

  it('is not sure of a nose that it does not find again', () => {
    const noise = Uint8Array.from(
      { length: reliefChipSize ** 2 },
      (_, i) => (Math.imul(i + 1, 2_654_435_761) >>> 13) & 255,
    );
    const turned = drawnRelief({ yawDeg: 25, depth: 0.4 });
    expect(measureNoseRelief(front, { ...turned, reliefChip: noise })?.agreement ?? 0).toBeLessThan(0.5);
  });

  it('leaves no pixels of either face behind', () => {
    const turned = drawnRelief({ yawDeg: 25, depth: 0.4 });
    const blank = { ...front, reliefChip: new Uint8Array(reliefChipSize ** 2).fill(90) };
    const made: Float32Array[] = [];
    vi.stubGlobal(
      'Float32Array',
      class extends Float32Array {
        constructor(length: number) {
          super(length);
          made.push(this);
        }
      },
    );
    try {
      measureNoseRelief(front, turned);
      measureNoseRelief(blank, turned);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(made.length).toBeGreaterThan(9);
    expect(made.filter((values) => values.some((value) => value !== 0))).toEqual([]);
  });

  it('says nothing of a face without texture', () => {
    const blank = { ...front, reliefChip: new Uint8Array(reliefChipSize ** 2).fill(90) };
    expect(measureNoseRelief(front, blank)).toBeNull();
    expect(measureNoseRelief(blank, front)).toBeNull();
  });
});
