import { table } from '../output.ts';
import type { Rate } from '../statistics/interval.ts';
import { describeFailure, type NamedFailure } from './enrolment.ts';
import type { GalleryReport, ImpostorRate } from './evaluate-gallery.ts';
import { type PairsReport, quotedRates, type ReportedPoint } from './evaluate-pairs.ts';

const number = (value: number): string =>
  value === 0 ? '0' : value >= 0.001 ? Number(value.toPrecision(4)).toString() : value.toExponential(2);

/**
 * `0.0121 (12 of 993; 95 %: 0.00626 – 0.0210)`
 * @param people the interval that resamples people, which is put beside the exact one; null where it says nothing
 */
export function describeRate(
  { errors, trials, rate, interval95 }: Rate,
  people?: readonly [number, number] | null,
): string {
  if (rate === null || interval95 === null) return 'no pairs';
  const resampled = people ? `; resampling people: ${range(people)}` : '';
  return `${number(rate)} (${errors} of ${trials}; 95 %: ${range(interval95)}${resampled})`;
}

const range = ([low, high]: readonly [number, number]): string => `${number(low)} – ${number(high)}`;

function failures(list: readonly NamedFailure[]): string[] {
  return [
    `failed to enrol  ${list.length}`,
    ...list.map(({ file, ...failure }) => `  ${file}: ${describeFailure(failure)}`),
  ];
}

export function describePairs(report: PairsReport): string {
  const { pairs, auc, eer, tenFold } = report;
  const row = (label: string, point: Omit<ReportedPoint, 'resolved'> | null) =>
    point
      ? [
          label,
          number(point.threshold),
          describeRate(point.fmr, point.personBootstrap95.fmr),
          describeRate(point.fnmr, point.personBootstrap95.fnmr),
        ]
      : [label, '–', 'no pairs', 'no pairs'];
  return [
    `pairs            ${pairs.comparedGenuine} of ${pairs.genuine} genuine and ${pairs.comparedImpostor} of ${pairs.impostor} impostor pairs compared`,
    ...failures(report.failuresToEnrol),
    `AUC              ${auc === null ? '–' : auc.toFixed(6)}`,
    `EER              ${eer === null ? '–' : `${number(eer.eer)} at ${number(eer.threshold)}`}`,
    ...(tenFold
      ? [
          `ten-fold         ${tenFold.mean.toFixed(4)} ± ${tenFold.standardError.toFixed(4)} (failures counted wrong: ${tenFold.meanFailuresWrong.toFixed(4)})`,
        ]
      : []),
    '',
    table([
      ['fmr', 'threshold', 'fmr observed', 'fnmr'],
      ...quotedRates.map((rate) => row(rate, report.atFmr[rate])),
      row('shipped', report.atShippedThreshold),
    ]),
  ].join('\n');
}

const impostor = ({ photos, fmr, personBootstrap95 }: ImpostorRate): string =>
  `${photos} photos, fmr ${describeRate(fmr, personBootstrap95)}`;

export function describeGallery(report: GalleryReport): string {
  const { split, shipped } = report;
  return [
    `photos           ${report.enrolled} of ${report.images} enrolled`,
    ...failures(report.failuresToEnrol),
    `threshold        ${number(split.threshold)} for fmr ${number(split.targetFmr)}, chosen on the odd-numbered photos`,
    `odd-numbered     ${impostor(split.odd)}`,
    `even-numbered    ${impostor(split.even)}`,
    `shipped ${number(shipped.threshold)}    ${impostor(shipped)}`,
  ].join('\n');
}
