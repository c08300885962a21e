import type { CameraFrame } from '@svc/device-sdk';
import { createFakeEngine, frameOf } from '@svc/device-sdk/testing';
import { livenessContextScale } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { type AttemptOutcome, nearPlan, plan } from './campaign.ts';
import { partAround } from './clip-frames.ts';
import { judgeWindows } from './clip-windows.ts';
import { presentations } from './presentations.ts';
import { bars, livenessMarkdown } from './report.ts';

/** A small part of the campaign, which `npm run test:long` runs (`evaluate:liveness`). */
const standard = plan(2, 2);
const planned = (presentation: string, index = 0) => {
  const found = standard.filter((one) => one.presentation === presentation)[index];
  return found ?? expect.unreachable();
};

describe('the plan', () => {
  it('is deterministic, and has every presentation in both directions', () => {
    expect(plan(2, 2)).toEqual(standard);
    expect(standard).toHaveLength(2 * presentations.length);
    for (const { id } of presentations) {
      expect(new Set([planned(id, 0).direction, planned(id, 1).direction])).toEqual(new Set(['left', 'right']));
    }
    const recordings = plan(0, 4).filter(({ recorded }) => recorded !== null);
    const sameWay = recordings.filter(({ recorded, direction }) => recorded === direction);
    expect(sameWay).toHaveLength(recordings.length / 2);
  });
});

describe('a part of a frame', () => {
  const frame = { width: 400, height: 300 };
  const face = { x: 180, y: 100, width: 60, height: 80 };

  it.each([1.3, 1.7, 2])('leaves a room of %f around the face', (room) => {
    const part = partAround(frame, face, room);
    expect(livenessContextScale(part, face)).toBeCloseTo(room, 1);
    expect(part.width / part.height).toBeCloseTo(4 / 3, 1);
  });

  it('stays within the frame, and is the whole frame if the room requires it', () => {
    expect(partAround(frame, { ...face, x: 0, y: 250 }, 1.5)).toMatchObject({ x: 0 });
    expect(partAround(frame, face, 9)).toEqual({ x: 0, y: 0, ...frame });
  });
});

describe('the report', () => {
  const match: AttemptOutcome['verdict'] = { outcome: 'Match', reason: 'verified' };
  const stopped: AttemptOutcome['verdict'] = { outcome: 'LivenessFailed', reason: 'attack-frame' };
  const unscored: AttemptOutcome['verdict'] = { outcome: 'LivenessFailed', reason: 'never-scorable' };
  const figures = (
    attack: AttemptOutcome['verdict'],
    video = match,
    nearPeople: AttemptOutcome['verdict'] = match,
  ) => ({
    outcomes: [...standard, ...nearPlan(1, 1)].map((one) => {
      const kind = presentations.find(({ id }) => id === one.presentation)?.kind;
      if (kind === 'live') return { ...one, verdict: one.near === true ? nearPeople : match };
      return { ...one, verdict: kind === 'attack' ? attack : video };
    }),
    counts: { live: 2, each: 2 },
    notEnrolled: 1,
    calibration: 'test/1',
    clips: {
      'a.webm': {
        frames: 60,
        withFace: 60,
        scored: 58,
        windows: [
          { neverScored: false, attackFrame: false, everBelow: true, belowAtEnd: false },
          { neverScored: false, attackFrame: false, everBelow: false, belowAtEnd: false },
          { neverScored: true, attackFrame: false, everBelow: null, belowAtEnd: null },
        ],
      },
    },
    nearClips: {
      'a.webm, room 1.4': {
        frames: 30,
        withFace: 30,
        scored: 0,
        windows: [{ neverScored: true, attackFrame: false, everBelow: null, belowAtEnd: null }],
      },
    },
  });

  it('counts accepted and lost attempts, videos separately', () => {
    const holds = (...verdicts: Parameters<typeof figures>) => bars(figures(...verdicts)).map((bar) => bar.holds);
    expect(holds(stopped)).toEqual([true, true, true, true, false, true, false]);
    expect(holds(match)).toEqual([false, true, true, false, false, true, false]);
    expect(holds(stopped, match, unscored)).toEqual([true, true, false, true, false, true, false]);
    const text = livenessMarkdown(figures(stopped));
    for (const row of [
      '| a person who does as asked | 0 (0 of 2; ',
      '| photo on paper, white border, flat | 0 (0 of 2; ',
      '| the turn that is asked for, on a tablet, its rim in view | 1 (2 of 2; ',
      '| `a.webm` | 60 | 60 | 58 | 3 | 1 | 1 | 0 | 1 | 0 |',
      '| `a.webm`, room 1.4 | 30 | 30 | 0 | 1 | 1 | 1 | 0 | 0 | 0 |',
    ])
      expect(text).toContain(row);
    expect(text).not.toContain('undefined');
  });
});

async function* clip(scores: readonly (number | null)[]): AsyncGenerator<CameraFrame> {
  for (const [i, live] of scores.entries()) yield frameOf({ heads: [{ who: 1, live }] }, i * 300);
}
const ten = (score: number | null): (number | null)[] => Array(10).fill(score);

describe('windows of a recording', () => {
  it('are judged separately, without a shorter remainder', async () => {
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
