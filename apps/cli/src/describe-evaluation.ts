import { describeRate, formatNumber } from '@svc/benchmarks/research/rates';
import type { CalibrationReport } from '@svc/benchmarks/research/recognition/calibration';
import { describeFailure, type NamedFailure } from '@svc/benchmarks/research/recognition/enrolment';
import type { GalleryReport, ImpostorRate } from '@svc/benchmarks/research/recognition/gallery';
import { type PairsReport, quotedRates, type RatesAtThreshold } from '@svc/benchmarks/research/recognition/pairs';
import { table } from './output.ts';

function failures(list: readonly NamedFailure[]): string[] {
  return [
    `failed to enrol  ${list.length}`,
    ...list.map(({ file, ...failure }) => `  ${file}: ${describeFailure(failure)}`),
  ];
}

export function describePairs(report: PairsReport): string {
  const { pairs, auc, eer } = report;
  const row = (label: string, point: RatesAtThreshold | null) =>
    point
      ? [
          label,
          formatNumber(point.threshold),
          describeRate(point.fmr, point.personBootstrap95.fmr),
          describeRate(point.fnmr, point.personBootstrap95.fnmr),
        ]
      : [label, '–', 'no pairs', 'no pairs'];
  return [
    `pairs            ${pairs.comparedGenuine} of ${pairs.genuine} genuine and ${pairs.comparedImpostor} of ${pairs.impostor} impostor pairs compared`,
    ...failures(report.failuresToEnrol),
    `AUC              ${auc === null ? '–' : auc.toFixed(6)}`,
    `EER              ${eer === null ? '–' : `${formatNumber(eer.eer)} at ${formatNumber(eer.threshold)}`}`,
    '',
    table([
      ['fmr', 'threshold', 'fmr observed', 'fnmr'],
      ...quotedRates.map((rate) => row(rate, report.atFmr[rate])),
      row('shipped', report.atShippedThreshold),
    ]),
    intervals,
  ].join('\n');
}

const intervals = 'intervals        95 %, exact; “people”: by resampling people';

const impostor = ({ photos, fmr, personBootstrap95 }: ImpostorRate): string =>
  `${photos} photos, fmr ${describeRate(fmr, personBootstrap95)}`;

export function describeGallery(report: GalleryReport): string {
  const { split, shipped } = report;
  return [
    `photos           ${report.enrolled} of ${report.images} enrolled`,
    ...failures(report.failuresToEnrol),
    `threshold        ${formatNumber(split.threshold)} for fmr ${formatNumber(split.targetFmr)}, chosen on the odd-numbered photos`,
    `odd-numbered     ${impostor(split.odd)}`,
    `even-numbered    ${impostor(split.even)}`,
    `shipped ${formatNumber(shipped.threshold)}    ${impostor(shipped)}`,
    intervals,
  ].join('\n');
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

export function describeCalibration({ engineId, numbers, turned, holds }: CalibrationReport): string {
  const value = (number: number | null) => (number === null ? '–' : String(Number(number.toFixed(4))));
  return [
    `engine ${engineId}`,
    '',
    table([
      ['number', 'shipped', 'by the rule', 'meets it', ''],
      ...numbers.map(({ name, shipped, measured, meets, note }) => [
        name,
        value(shipped),
        value(measured),
        measured === null && meets ? '–' : meets ? 'yes' : 'NO',
        note,
      ]),
    ]),
    '',
    'What the margin of a turned face costs: rendered people, frontal references, shares at or above the threshold less a margin.',
    '',
    table([
      ['yaw', 'same person', 'least', '1 %', 'shipped', 'by the rule', 'others: no margin', 'shipped', 'by the rule'],
      ...turned.map((row) => [
        `±${row.angleDeg}°`,
        String(row.comparisons),
        row.least.toFixed(4),
        row.onePercent.toFixed(4),
        percent(row.matchedShipped),
        percent(row.matchedMeasured),
        percent(row.othersFrontal),
        percent(row.othersShipped),
        percent(row.othersMeasured),
      ]),
    ]),
    '',
    holds ? 'The shipped numbers meet the rules.' : 'Not every shipped number meets its rule.',
  ].join('\n');
}
