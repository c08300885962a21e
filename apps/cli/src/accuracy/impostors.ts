import { basename, join } from 'node:path';
import { describeRate } from '@svc/benchmarks/statistics/interval';
import { markdownTable } from '@svc/benchmarks/statistics/markdown';
import { CliError } from '../cli-error.ts';
import type { ComparingEngine } from '../evaluation/enrol-for-engines.ts';
import { describeFailure, type Enrolment } from '../evaluation/enrolment.ts';
import { type GalleryReport, type ImpostorRate, reportGallery } from '../evaluation/evaluate-gallery.ts';
import { photosIn } from '../paths.ts';
import { photoSets, type Section } from './photo-sets.ts';

/** Target false match rates of the thresholds. */
export const targetFmr = 1e-4;

/** One photo a person, in name order. */
export const portraitsIn = (data: string): Promise<string[]> =>
  photosIn(join(data, photoSets.congress.folder, 'images'));

/** The section and its figures. */
export interface ImpostorSection extends Section {
  readonly report: GalleryReport;
}

/** All pairs of portraits. @throws CliError if too few could be enrolled */
export function portraitReport(
  engine: ComparingEngine,
  photos: readonly string[],
  enrolments: ReadonlyMap<string, Enrolment>,
): GalleryReport {
  const report = reportGallery({ engine, photos, enrolments, targetFmr, nameOf: (path) => basename(path) });
  if (!report) throw new CliError('too few portraits could be enrolled');
  return report;
}

/** False match rate, threshold and failures to enrol, on one portrait per person. */
export function impostorSection(
  engine: ComparingEngine,
  photos: readonly string[],
  enrolments: ReadonlyMap<string, Enrolment>,
): ImpostorSection {
  const report = portraitReport(engine, photos, enrolments);
  const { split, shipped, failuresToEnrol, failureToEnrolRate } = report;
  const row = (label: string, threshold: number, { photos: count, fmr, personBootstrap95 }: ImpostorRate) => [
    label,
    threshold.toFixed(4),
    String(count),
    describeRate(fmr),
    personBootstrap95 ? personBootstrap95.map((rate) => rate.toExponential(1)).join(' – ') : '–',
  ];
  const lowest = split.even.fmr.interval95?.[0] ?? 1;
  const shippedLowest = shipped.fmr.interval95?.[0] ?? 1;
  return {
    report,
    claims: [
      {
        claim:
          'The threshold chosen for an fmr of 1e-4 on the odd-numbered portraits keeps it on the even-numbered ones, within the 95 % interval',
        holds: lowest <= targetFmr,
        measured: describeRate(split.even.fmr, split.even.personBootstrap95),
      },
      {
        claim: 'The shipped threshold keeps an fmr of 1e-4 over all portraits, within the 95 % interval',
        holds: shippedLowest <= targetFmr,
        measured: describeRate(shipped.fmr, shipped.personBootstrap95),
      },
      {
        claim: 'At most 1 % of the portraits fail to enrol',
        holds: (failureToEnrolRate.rate ?? 1) <= 0.01,
        measured: describeRate(failureToEnrolRate),
      },
    ],
    markdown: [
      '## False matches',
      '',
      'Every pair of two portraits is a pair of two people. Odd- and even-numbered refers to the order of the file names.',
      'The binomial interval takes all pairs for independent, which they are not, since each person is in hundreds of them;',
      'the second interval resamples people instead. Official portraits are easy on an engine: evenly lit, frontal, sharp.',
      '',
      markdownTable([
        ['portraits', 'threshold', 'enrolled', 'fmr (exact binomial)', '95 %, resampling people'],
        row('odd-numbered, chosen here', split.threshold, split.odd),
        row('even-numbered, verified here', split.threshold, split.even),
        row('all, shipped threshold', shipped.threshold, shipped),
      ]),
      '',
      `For an fmr of 1e-4 over all portraits the threshold would be ${report.allThreshold.toFixed(4)}. Impostor scores: median ${report.impostorScores.median.toFixed(3)}, 99 % below ${report.impostorScores.p99.toFixed(3)}, 99.99 % below ${report.impostorScores.p9999.toFixed(3)}, highest ${report.impostorScores.highest.toFixed(3)}.`,
      '',
      '### Failures to enrol',
      '',
      ...(failuresToEnrol.length === 0 ? ['None.'] : []),
      ...failuresToEnrol.map(({ file, ...failure }) => `- \`${file}\`: ${describeFailure(failure)}`),
    ].join('\n'),
  };
}
