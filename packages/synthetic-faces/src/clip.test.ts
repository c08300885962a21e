import { describe, expect, it } from 'vitest';
import { type HeadOptions, headTurn, naturalSway, renderClip } from './index.ts';

const yawAt = (direction: 'left' | 'right', tMs: number, jitter: number): number =>
  headTurn(direction, { jitter, frontalMs: 1000, turnMs: 800, holdMs: 400, returnMs: 600, maxYawDeg: 30 })(tMs)
    .yawDeg ?? Number.NaN;

describe('headTurn', () => {
  it('is frontal, turns the way it is told, holds and returns', () => {
    expect(yawAt('left', 0, 0)).toBe(0);
    expect(yawAt('left', 1000, 0)).toBe(0);
    expect(yawAt('left', 1400, 0)).toBeCloseTo(15, 5);
    expect(yawAt('left', 1800, 0)).toBeCloseTo(30, 5);
    expect(yawAt('left', 2200, 0)).toBeCloseTo(30, 5);
    expect(yawAt('left', 2800, 0)).toBeCloseTo(0, 5);
    expect(yawAt('right', 2000, 0)).toBeCloseTo(-30, 5);
  });

  it('moves a little by itself, the same each time', () => {
    const values = [0, 200, 400, 600].map((t) => yawAt('left', t, 1));
    expect(new Set(values).size).toBe(4);
    expect(Math.max(...values.map(Math.abs))).toBeLessThan(3);
    expect([0, 200, 400, 600].map((t) => yawAt('left', t, 1))).toEqual(values);
  });

  it('blinks', () => {
    const sway = naturalSway(1);
    const blinks = Array.from({ length: 500 }, (_, i) => sway(i * 20).expression?.blink ?? 0);
    expect(Math.max(...blinks)).toBeGreaterThan(0.9);
    expect(blinks.filter((blink) => blink === 0).length).toBeGreaterThan(400);
  });
});

describe('renderClip', () => {
  const head: HeadOptions = { seed: 7, distance: 1.5 };
  const size = { width: 64, height: 48 } as const;

  it.each(['live', 'print', 'screen'] as const)(
    'gives evenly timed frames of a %s, each with noise of its own',
    (kind) => {
      const clip = { ...size, kind, head, motion: () => ({}), fps: 5, durationMs: 600 };
      const frames = [...renderClip(clip)];
      expect(frames.map((frame) => frame.tMs)).toEqual([0, 200, 400]);
      expect(Buffer.compare(frames[0]?.data ?? new Uint8Array(), frames[1]?.data ?? new Uint8Array())).not.toBe(0);
      const again = [...renderClip(clip)];
      expect(again.every((frame, i) => Buffer.compare(frame.data, frames[i]?.data ?? new Uint8Array()) === 0)).toBe(
        true,
      );
    },
  );

  it('renders frames only as they are asked for', () => {
    let asked = 0;
    const clip = renderClip({
      ...size,
      head,
      fps: 10,
      durationMs: 1000,
      motion: () => {
        asked++;
        return {};
      },
    });
    clip.next();
    clip.next();
    expect(asked).toBe(2);
  });

  it.each([
    [0, 1000],
    [-1, 1000],
    [10, 0],
    [Number.NaN, 1000],
  ])('refuses %s frames a second for %s ms', (fps, durationMs) => {
    expect(() => renderClip({ ...size, head, motion: () => ({}), fps, durationMs }).next()).toThrow(RangeError);
  });
});
