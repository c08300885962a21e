import type { CameraFrame } from '@svc/device-sdk';
import { createFakeEngine, frameOf } from '@svc/device-sdk/testing';
import { livenessContextScale } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { type AttemptOutcome, directionOf, doors, plan, presentationOf, recordedDirection } from './campaign.ts';
import { partAround } from './clip-frames.ts';
import { judgeWindows } from './clip-windows.ts';
import type { ScoredFrame } from './frames.ts';
import { fillingReplay, presentations } from './presentations.ts';
import { bars, livenessMarkdown } from './report.ts';

/** A small part of the campaign, which `npm run test:long` runs (`evaluate:liveness`). */
const counts = { live: 2, replays: 4, each: 2 };
const standard = plan(counts);

describe('the plan', () => {
  it('is deterministic, and has every presentation at every door, in both directions', () => {
    expect(plan(counts)).toEqual(standard);
    for (const { id, kind } of presentations) {
      for (const door of doors) {
        const own = standard.filter((one) => one.presentation === id && one.door === door);
        expect(new Set(own.map(directionOf))).toEqual(new Set(['left', 'right']));
        expect(new Set(own.map(({ place }) => place))).toEqual(
          new Set(kind === 'live' ? ['far', 'near', 'comes'] : id === fillingReplay ? ['far'] : ['far', 'near']),
        );
      }
    }
    const recordings = plan({ ...counts, each: 4 }).filter(
      ({ presentation, place }) => presentation.startsWith('recording') && place === 'far',
    );
    const sameWay = recordings.filter((one) => recordedDirection(one) === directionOf(one));
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
  const match = { verdict: { outcome: 'Match', reason: 'verified' }, witness: null, attemptMs: 1_500 } as const;
  const stopped = {
    verdict: { outcome: 'LivenessFailed', reason: 'attack-frame' },
    witness: null,
    attemptMs: 0,
  } as const;
  type Ending = Pick<AttemptOutcome, 'verdict' | 'witness' | 'attemptMs'>;
  const frame = (isLive: boolean, evidence: number): ScoredFrame => ({
    ...{ what: 'live', isLive, hold: 'near', noise: 1 },
    scored: { score: 0.9, evidence, room: 1.5 },
  });
  const figures = (people: Ending, pictures: Ending, cued: Ending, evidence = 0.1) => ({
    outcomes: standard.map((one) => {
      const kind = presentationOf(one.presentation).kind;
      if (kind !== 'live') return { ...one, ...(kind === 'attack' ? pictures : cued) };
      return { ...one, ...people, ...(one.door === 'staffed' ? {} : { attemptMs: 1_900 }) };
    }),
    counts: { ...counts, frames: 40 },
    notEnrolled: 1,
    calibration: 'test/1',
    frames: [frame(true, 0.8), frame(false, evidence)],
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

  it('counts lost people and passed attacks by door, and what each claim is about', () => {
    const holds = (...endings: Parameters<typeof figures>) =>
      bars(figures(...endings)).map((bar) => (bar.holds ? 1 : 0));
    expect(holds(match, stopped, stopped).join('')).toBe('111111111010');
    expect(holds(match, match, stopped).join('')).toBe('011101111010');
    expect(holds(match, stopped, match).join('')).toBe('111010111010');
    expect(holds(stopped, stopped, stopped).join('')).toBe('10111101010');
    expect(holds(match, stopped, stopped, 0.9).join('')).toBe('111111110010');
    const text = livenessMarkdown(figures(match, stopped, match));
    for (const row of [
      '| a person who does as asked | 0/2 | 0/1 | 0/2 | 0/1 | 0/2 | 0/1 |',
      '| photo on paper, white border, flat | 0/2 | 0/1 | 0/2 | 0/1 | 0/2 | 0/1 |',
      '| cued replay on a tablet | 2/2 | 2/2 | 4/4 | 4/4 | 2/2 | 2/2 |',
      '| lit | people, far | 2 Match | 400 ms |',
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
