import { describe, expect, it } from 'vitest';
import { drawnRelief } from '../testing/drawn-relief.ts';
import type { FaceAnalysis } from '../types.ts';
import { ReliefMeter } from './relief-meter.ts';

const limits = { fromYawDeg: 15, frontalYawDeg: 12 };

const seen = (yawDeg: number, depth = 0.4): FaceAnalysis =>
  ({ ...drawnRelief({ yawDeg, depth }), pose: { yawDeg, pitchDeg: 0, rollDeg: 0 } }) as FaceAnalysis;

describe('ReliefMeter', () => {
  it('measures a turned face against the most frontal one before it', () => {
    const meter = new ReliefMeter(limits);
    expect(meter.read(seen(8))).toBeNull();
    expect(meter.read(seen(1))).toBeNull();
    expect(meter.read(seen(9))).toBeNull();
    for (const yawDeg of [20, 30, -25]) expect(meter.read(seen(yawDeg))?.depth).toBeCloseTo(0.45, 1);
  });

  it('tells a sheet by its depth', () => {
    const meter = new ReliefMeter(limits);
    meter.read(seen(0, 0));
    expect(Math.abs(meter.read(seen(30, 0))?.depth ?? 1)).toBeLessThan(0.06);
  });

  it('measures a face that is far aside against one a little less so, where the front no longer looks like it', () => {
    const front = seen(0);
    // Replaces the front's nose by one that matches nothing later.
    for (let y = 45; y < 80; y++)
      for (let x = 40; x < 66; x++) front.reliefChip[y * 105 + x] = (x * 53 + y * 97 + x * y * 31) % 256;
    const alone = new ReliefMeter(limits);
    alone.read(front);
    const lost = alone.read(seen(30));
    expect(lost?.agreement).toBeLessThan(0.5);

    const meter = new ReliefMeter(limits);
    meter.read(front);
    for (const yawDeg of [7, 14, 19]) meter.read(seen(yawDeg));
    const found = meter.read(seen(30));
    expect(found?.agreement).toBeGreaterThan(0.8);
    expect(found?.depth).toBeCloseTo(0.45, 1);
    expect(found?.widthKept).toBe(lost?.widthKept);
    // A face that turns the other way is not measured against the side reference.
    expect(meter.read(seen(-30))?.agreement).toBeLessThan(0.5);
  });

  it('takes a sheet for a sheet from aside too', () => {
    const meter = new ReliefMeter(limits);
    for (const yawDeg of [0, 14]) meter.read(seen(yawDeg, 0));
    expect(Math.abs(meter.read(seen(30, 0))?.depth ?? 1)).toBeLessThan(0.06);
  });

  it('wipes what it remembered', () => {
    const meter = new ReliefMeter(limits);
    const [front, aside] = [seen(0), seen(14)];
    const slices = [front, aside].map(({ landmarks, reliefChip }) => {
      const kept = [landmarks.slice(), reliefChip.slice()] as const;
      landmarks.slice = () => kept[0];
      reliefChip.slice = () => kept[1];
      return kept;
    });
    meter.read(front);
    meter.read(aside);
    meter.dispose();
    for (const kept of slices.flat()) expect(kept.every((value) => value === 0)).toBe(true);
  });

  it('says nothing where the face was never frontal, or was forgotten', () => {
    const meter = new ReliefMeter(limits);
    expect(meter.read(seen(20))).toBeNull();
    expect(meter.read(seen(30))).toBeNull();
    meter.read(seen(0));
    meter.dispose();
    expect(meter.read(seen(30))).toBeNull();
  });
});
