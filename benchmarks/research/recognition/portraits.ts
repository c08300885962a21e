import { basename, join } from 'node:path';
import { markdownTable } from '../markdown.ts';
import { describeRate } from '../rates.ts';
import { type ComparingEngine, describeFailure, type Enrolments } from './enrolment.ts';
import { type GalleryReport, type ImpostorRate, reportGallery } from './gallery.ts';
import { filesBelow, photoSets, type Section } from './photo-sets.ts';

/** Target false match rates of the thresholds. */
const targetFmr = 1e-4;

/** One photo a person, in name order. */
export async function portraitsIn(data: string): Promise<string[]> {
  const folder = join(data, photoSets.congress.folder, 'images');
  return (await filesBelow(folder)).map((file) => join(folder, file));
}

/** All pairs of portraits. @throws RangeError if too few could be enrolled */
export function portraitReport(
  engine: ComparingEngine,
  photos: readonly string[],
  enrolments: Enrolments,
): GalleryReport {
  const own = new Map([...enrolments].filter(([path]) => photos.includes(path)));
  const report = reportGallery({ engine, photos, enrolments: own, targetFmr, nameOf: (path) => basename(path) });
  if (!report) throw new RangeError('too few portraits could be enrolled');
  return report;
}

/** False match rate, threshold and failures to enrol, on one portrait per person. */
export function impostorSection(report: GalleryReport): Section {
  const { split, shipped, failuresToEnrol, failureToEnrolRate, impostorScores: scores } = report;
  const row = (label: string, threshold: number, { photos: count, fmr, personBootstrap95 }: ImpostorRate) => [
    label,
    threshold.toFixed(4),
    String(count),
    describeRate(fmr),
    personBootstrap95 ? personBootstrap95.map((rate) => rate.toExponential(1)).join(' – ') : '–',
  ];
  const keeps = ({ fmr, personBootstrap95 }: ImpostorRate) => ({
    holds: (fmr.interval95?.[0] ?? 1) <= targetFmr,
    measured: describeRate(fmr, personBootstrap95),
  });
  return {
    claims: [
      {
        claim:
          'The threshold chosen for an fmr of 1e-4 on the odd-numbered portraits keeps it on the even-numbered ones, within the 95 % interval',
        ...keeps(split.even),
      },
      {
        claim: 'The shipped threshold keeps an fmr of 1e-4 over all portraits, within the 95 % interval',
        ...keeps(shipped),
      },
      {
        claim: 'At most 1 % of the portraits fail to enrol',
        holds: (failureToEnrolRate.rate ?? 1) <= 0.01,
        measured: describeRate(failureToEnrolRate),
      },
    ],
    markdown: [
      '### False matches',
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
      `For an fmr of 1e-4 over all portraits the threshold would be ${report.allThreshold.toFixed(4)}. Impostor scores: median ${scores.median.toFixed(3)}, 99 % below ${scores.p99.toFixed(3)}, 99.99 % below ${scores.p9999.toFixed(3)}, highest ${scores.highest.toFixed(3)}.`,
      '',
      '#### Failures to enrol',
      '',
      ...(failuresToEnrol.length === 0 ? ['None.'] : []),
      ...failuresToEnrol.map(({ file, ...failure }) => `- \`${file}\`: ${describeFailure(failure)}`),
    ].join('\n'),
  };
}
