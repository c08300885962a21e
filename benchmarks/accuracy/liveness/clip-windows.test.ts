import type { CameraFrame } from '@svc/device-sdk';
import { createFakeEngine, frameOf } from '@svc/device-sdk/testing';
import { describe, expect, it } from 'vitest';
import { judgeWindows } from './clip-windows.ts';

async function* clip(scores: readonly (number | null)[]): AsyncGenerator<CameraFrame> {
  for (const [i, live] of scores.entries()) yield frameOf({ heads: [{ who: 1, live }] }, i * 300);
}
const ten = (score: number | null): (number | null)[] => Array(10).fill(score);

describe('windows of a recording', () => {
  it('are judged each by itself, a rest left out', async () => {
    const engine = createFakeEngine();
    const sinks = [...Array(5).fill(0.3), ...Array(5).fill(1)];
    const scores = [...ten(0.9), ...ten(0.4), ...sinks, ...ten(null), 0.9, 0.05, ...Array(8).fill(0.9), 0.9, 0.9];
    const figures = await judgeWindows(engine, engine.passive, clip(scores));
    expect(figures).toMatchObject({ frames: 52, withFace: 52, scored: 42 });
    expect(figures.windows).toEqual([
      { neverScored: false, attackFrame: false, everBelow: false, belowAtEnd: false },
      { neverScored: false, attackFrame: false, everBelow: true, belowAtEnd: true },
      { neverScored: false, attackFrame: false, everBelow: true, belowAtEnd: false },
      { neverScored: true, attackFrame: false, everBelow: null, belowAtEnd: null },
      { neverScored: false, attackFrame: true, everBelow: false, belowAtEnd: false },
    ]);
  });
});
