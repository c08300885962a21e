import { describeRate, formatNumber } from '@svc/benchmarks/statistics/interval';
import { table } from '../output.ts';
import { describeFailure, type NamedFailure } from './enrolment.ts';
import type { GalleryReport, ImpostorRate } from './evaluate-gallery.ts';
import { type PairsReport, quotedRates, type ReportedPoint } from './evaluate-pairs.ts';

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
    `threshold        ${formatNumber(split.threshold)} for fmr ${formatNumber(split.targetFmr)}, chosen on the odd-numbered photos`,
    `odd-numbered     ${impostor(split.odd)}`,
    `even-numbered    ${impostor(split.even)}`,
    `shipped ${formatNumber(shipped.threshold)}    ${impostor(shipped)}`,
  ].join('\n');
}
