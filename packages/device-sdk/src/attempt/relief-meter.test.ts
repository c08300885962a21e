import type { FaceAnalysis } from '@svc/face-engine';
import { drawnRelief } from '@svc/face-engine/testing';
import { describe, expect, it } from 'vitest';
import { ReliefMeter } from './relief-meter.ts';

const seen = (yawDeg: number, depth = 0.4): FaceAnalysis =>
  ({ ...drawnRelief({ yawDeg, depth }), pose: { yawDeg, pitchDeg: 0, rollDeg: 0 } }) as FaceAnalysis;

describe('ReliefMeter', () => {
  it('measures a turned face against the most frontal one before it', () => {
    const meter = new ReliefMeter();
    expect(meter.read(seen(8))).toBeNull();
    expect(meter.read(seen(1))).toBeNull();
    expect(meter.read(seen(9))).toBeNull();
    for (const yawDeg of [20, 30, -25]) expect(meter.read(seen(yawDeg))?.depth).toBeCloseTo(0.45, 1);
  });

  it('tells a sheet by its depth', () => {
    const meter = new ReliefMeter();
    meter.read(seen(0, 0));
    expect(Math.abs(meter.read(seen(30, 0))?.depth ?? 1)).toBeLessThan(0.06);
  });

  it('says nothing where the face was never frontal, or was forgotten', () => {
    const meter = new ReliefMeter();
    expect(meter.read(seen(20))).toBeNull();
    expect(meter.read(seen(30))).toBeNull();
    meter.read(seen(0));
    meter.dispose();
    expect(meter.read(seen(30))).toBeNull();
  });
});
