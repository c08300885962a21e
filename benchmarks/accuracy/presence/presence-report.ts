import type { PassiveCalibration, PassiveModelName } from '@svc/face-engine';
import { areaUnderRoc, scoreSets } from '../../statistics/error-rates.ts';
import { markdownTable } from '../../statistics/markdown.ts';
import { meanOf } from '../../statistics/summary.ts';
import { live, type ScoredAttempt } from './attempts.ts';
import type { ScoredWindow } from './clip-scores.ts';
import { passes, type ScoredSample } from './scored-frame.ts';

/** The parts of a model that the report reads. */
export interface ReportedModel {
  readonly name: PassiveModelName;
  readonly calibration: PassiveCalibration;
}

const figure = (value: number | null | undefined): string => (value == null ? '–' : value.toFixed(3));
const wrong = (text: string, isWrong: boolean): string => (isWrong ? `**${text}**` : text);

/**
 * The real samples, one line each, with each model's errors: a person below the policy's bar, or an attack not below
 * it.
 */
export function samplesTable(models: readonly ReportedModel[], samples: readonly ScoredSample[]): string {
  const errors = models.map(() => ({ all: 0, scorable: 0 }));
  const rows = samples.map(({ path, shows, scores }) => {
    const cells = models.map(({ name, calibration }, i) => {
      const { score = null, unmet = [] } = scores?.[name] ?? {};
      const isWrong = score !== null && passes(score, calibration) !== (shows === 'a person');
      const count = errors[i];
      if (isWrong && count !== undefined) {
        count.all += 1;
        if (unmet.length === 0) count.scorable += 1;
      }
      return wrong(figure(score), isWrong);
    });
    return [`\`${path}\``, shows, ...cells, scores === null ? 'no face' : notScored(models, scores)];
  });
  const sums = errors.map(({ all, scorable }) => `${all} (${scorable})`);
  return markdownTable([
    ['sample', 'shows', ...models.map(({ name }) => name), 'would not be scored'],
    ...rows,
    ['errors (of those that would be scored)', '', ...sums, ''],
  ]);
}

/** Why the device would not have scored them; once if the models agree. */
function notScored(models: readonly ReportedModel[], scores: NonNullable<ScoredSample['scores']>): string {
  const reasons = models.map(({ name }) => scores[name]?.unmet.join(', ') ?? '');
  if (new Set(reasons).size <= 1) return reasons[0] ?? '';
  return models.map(({ name }, i) => `${name}: ${reasons[i] === '' ? 'scored' : reasons[i]}`).join('; ');
}

/**
 * One line per three seconds of one person: mean and lowest score of each model, bold if the device would have taken it
 * for an attack.
 */
export function windowsTable(models: readonly ReportedModel[], windows: readonly ScoredWindow[]): string {
  const rows = windows.map(({ clip, startMs, scores }) => [
    `\`${clip}\``,
    `${startMs / 1000}–${startMs / 1000 + 3} s`,
    ...models.map(({ name }) => {
      const own = scores[name];
      if (own === undefined || own.mean === null) return '–';
      const text = wrong(`${figure(own.mean)} / ${figure(own.lowest)}`, own.everBelow === true || own.attackFrame);
      return own.everBelow === null && !own.attackFrame ? `${text} no estimate` : text;
    }),
  ]);
  const count = (of: (own: NonNullable<ScoredWindow['scores'][PassiveModelName]>) => boolean): string[] =>
    models.map(({ name }) => {
      const own = windows.flatMap(({ scores }) => scores[name] ?? []);
      return `${own.filter(of).length} of ${own.length}`;
    });
  return markdownTable([
    ['clip', 'window', ...models.map(({ name }) => `${name}, mean / lowest`)],
    ...rows,
    [
      'below 0.9 at some frame, or a frame in the band of attacks',
      '',
      ...count((own) => own.everBelow === true || own.attackFrame),
    ],
    ['below 0.9 over the three seconds', '', ...count(({ belowAtEnd }) => belowAtEnd === true)],
    ['without an estimate', '', ...count(({ everBelow }) => everBelow === null)],
  ]);
}

/**
 * One line per kind of presentation: mean over its attempts, number misclassified, and the area under the ROC curve
 * against people; the last line is all attacks together.
 */
export function attemptsTable(models: readonly ReportedModel[], attempts: readonly ScoredAttempt[]): string {
  const kinds = [...new Set(attempts.map(({ kind }) => kind))];
  const ordered = [...kinds.filter((kind) => kind === live), ...kinds.filter((kind) => kind !== live)];
  const meansOf = (name: PassiveModelName, isOf: (kind: string) => boolean): number[] =>
    attempts.flatMap(({ kind, mean }) => (isOf(kind) ? (mean[name] ?? []) : []));
  const row = (title: string, isOf: (kind: string) => boolean): string[] => {
    const own = attempts.filter(({ kind }) => isOf(kind));
    const isLive = isOf(live);
    const sum = (of: (attempt: ScoredAttempt) => number): number => own.reduce((n, attempt) => n + of(attempt), 0);
    const cells = models.map(({ name, calibration }) => {
      const means = meansOf(name, isOf);
      if (means.length === 0) return '–';
      const errors = means.filter((mean) => passes(mean, calibration) !== isLive).length;
      const area = isLive
        ? ''
        : `, AUC ${figure(
            areaUnderRoc(
              scoreSets(
                meansOf(name, (kind) => kind === live),
                means,
              ),
            ),
          )}`;
      const outside = sum(({ unscorable }) => unscorable[name] ?? 0);
      return `${figure(meanOf(means))}, ${errors} wrong${area}${outside === 0 ? '' : `, ${outside} frames would not be scored`}`;
    });
    return [title, String(own.length), String(sum(({ withoutFace }) => withoutFace)), ...cells];
  };
  return markdownTable([
    ['presentation', 'attempts', 'frames without a face', ...models.map(({ name }) => name)],
    ...ordered.map((kind) => row(kind, (one) => one === kind)),
    row('all attacks', (kind) => kind !== live),
  ]);
}
