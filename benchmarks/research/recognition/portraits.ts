import { basename, join } from 'node:path';
import type { Claim } from '../markdown.ts';
import { describeRate } from '../rates.ts';
import type { ComparingEngine, Enrolments } from './enrolment.ts';
import { type GalleryReport, type ImpostorRate, reportGallery } from './gallery.ts';
import { filesBelow, photoSets } from './photo-sets.ts';

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

/** What is claimed of the false matches and failures to enrol of one portrait per person. */
export function portraitClaims({ split, shipped, failureToEnrolRate }: GalleryReport): Claim[] {
  const keeps = ({ fmr, personBootstrap95 }: ImpostorRate) => ({
    holds: (fmr.interval95?.[0] ?? 1) <= targetFmr,
    measured: describeRate(fmr, personBootstrap95),
  });
  return [
    {
      claim: 'fmr of 1e-4 on even portraits, threshold from odd ones',
      ...keeps(split.even),
    },
    {
      claim: 'fmr of 1e-4 on all portraits, shipped threshold',
      ...keeps(shipped),
    },
    {
      claim: 'at most 1 % of portraits fail to enrol',
      holds: (failureToEnrolRate.rate ?? 1) <= 0.01,
      measured: describeRate(failureToEnrolRate),
    },
  ];
}
