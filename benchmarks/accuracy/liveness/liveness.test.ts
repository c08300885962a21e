import type { CameraFrame } from '@svc/device-sdk';
import { createFakeEngine, frameOf } from '@svc/device-sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenEngine, openEngine, temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { type AttemptOutcome, attempt, nearPlan, plan } from './campaign.ts';
import { judgeWindows } from './clip-windows.ts';
import { presentations } from './presentations.ts';
import { bars, livenessMarkdown } from './report.ts';

/** A small share of the campaign that `evaluate:liveness` runs. */
const standard = plan(2, 2);
const planned = (presentation: string, index = 0) => {
  const found = standard.filter((one) => one.presentation === presentation)[index];
  return found ?? expect.unreachable();
};

describe('the plan', () => {
  it('is the same each time, and has every presentation in both directions', () => {
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

  async function verdictOf(presentation: string, index = 0): Promise<AttemptOutcome['verdict'] | undefined> {
    const { engine, passiveLiveness } = node;
    if (passiveLiveness === null) throw new Error('the add-on was not installed');
    return (await attempt(planned(presentation, index), engine, passiveLiveness))?.verdict;
  }

  it('let a person in', async () => expect(await verdictOf('live')).toMatchObject({ outcome: 'Match' }));

  it.each(['print-flat', 'print-bent', 'screen-bezel', 'replay-bezel'])('stop %s by its looks', async (id) => {
    // The second person's attacks end at their first frames.
    expect(await verdictOf(id, 1)).toMatchObject({ outcome: 'LivenessFailed' });
  });

  it('stop a cut-out by its turn, which the passive check takes for live', async () => {
    expect(await verdictOf('cut-out-bent')).toMatchObject({ outcome: 'ChallengeFailed' });
  });

  it('come to the same verdict each time', async () => {
    expect(await verdictOf('print-bent', 1)).toEqual(await verdictOf('print-bent', 1));
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

  it('is the same text for the same figures', () => {
    expect(livenessMarkdown(figures(stopped))).toBe(livenessMarkdown(figures(stopped)));
  });

  it('counts what was let in and what was lost, videos apart', () => {
    expect(bars(figures(stopped)).map(({ holds }) => holds)).toEqual([true, true, true, true, false, true, false]);
    expect(bars(figures(match)).map(({ holds }) => holds)).toEqual([false, true, true, false, false, true, false]);
    expect(bars(figures(stopped, match, unscored)).map(({ holds }) => holds)).toEqual([
      ...[true, true, false, true, false, true, false],
    ]);
    const text = livenessMarkdown(figures(stopped));
    expect(text).toMatch(/\| a person who does as asked \| 0 \(0 of 2; /);
    expect(text).toMatch(
      /\| photo on paper, white border, flat \| 0 \(0 of 2; .* \| 2 LivenessFailed\/attack-frame \|/,
    );
    expect(text).toMatch(/\| the turn that is asked for, on a tablet, its rim in view \| 1 \(2 of 2; /);
    expect(text).toContain('| `a.webm`, room 1.4 | 30 | 30 | 0 | 1 | 1 | 1 | 0 | 0 | 0 |');
    expect(text).toContain('Not enrolled, so no attempt: 1.');
    expect(text).toContain('| `a.webm` | 60 | 60 | 58 | 3 | 1 | 1 | 0 | 1 | 0 |');
    expect(text).toContain('evaluate:liveness -- --live 2 --each 2 --out');
    expect(text).not.toContain('undefined');
  });
});

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
