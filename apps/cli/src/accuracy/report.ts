import { engineIds } from '@svc/face-models';
import { withEngine } from '../engine.ts';
import { markdownTable } from '../output.ts';
import {
  comparisonSection,
  type EngineFigures,
  engineClaims,
  engineSections,
  measureEngine,
} from './engine-figures.ts';
import { unmeasuredLiveness } from './liveness-section.ts';
import { notFacesSection } from './not-faces.ts';
import { type PhotoSet, photoSets, requireData } from './photo-sets.ts';

const head = (engines: readonly EngineFigures[]) => `# Accuracy

Written by \`npm run svc -- evaluate --report accuracy --out docs/accuracy.md\`, which takes a few minutes and needs the photo
sets listed at the end; do not edit. [cli.md](cli.md) tells how to measure your own photos.

Engines: ${engines.map(({ engineId, shippedThreshold }) => `\`${engineId}\`, shipped threshold ${shippedThreshold}`).join('; ')} (cosine; a score at the
threshold matches). The first is the default; [ADR 9](adr/0009-second-engine.md) tells why. Photos pass the API's
own decoder and enrolment, so a photo that the service would refuse is not compared. Rates are those of ISO/IEC 19795-1;
intervals are exact (Clopper–Pearson), two-sided, 95 %.

What these figures are not: a certificate. The sets are small and public; portraits are the easiest photos there are; nothing
here says how error rates differ between groups of people, nor how the engines do on the faces of children. False match
rates hold between people picked at random, not between relatives.
`;

const origins = (): string =>
  markdownTable([
    ['folder', 'what', 'taken from', 'licence'],
    ...Object.values<PhotoSet>(photoSets).map(({ folder, title, origin, licence }) => [
      `\`${folder}\``,
      title,
      origin,
      licence,
    ]),
  ]);

/**
 * The project's accuracy report.
 * @param data folder of the photo sets; the one beside the repository when left out
 * @throws CliError when a set is missing
 */
export async function accuracyReport(data: string | undefined): Promise<{ markdown: string; holds: boolean }> {
  const folder = requireData(data);
  const engines: EngineFigures[] = [];
  for (const engineId of engineIds) {
    engines.push(await withEngine(({ engine }) => measureEngine(engine, folder), { engineId, passiveModel: null }));
  }
  // Detection and landmarks are the same for all.
  const notFaces = await withEngine(({ engine }) => notFacesSection(engine, folder), { passiveModel: null });
  const claims = [...engines.flatMap(engineClaims), ...notFaces.claims];
  const markdown = [
    head(engines),
    '## In short',
    '',
    markdownTable([
      ['claim', 'holds', 'measured'],
      ...claims.map(({ claim, holds, measured }) => [claim, holds ? 'yes' : '**no**', measured]),
    ]),
    '',
    comparisonSection(engines),
    '',
    ...engines.flatMap((figures) => [engineSections(figures), '']),
    notFaces.markdown,
    '',
    unmeasuredLiveness,
    '',
    '## The photo sets',
    '',
    'Public pictures of others, as they lay in these repositories; none of them is part of this project.',
    '',
    origins(),
    '',
  ].join('\n');
  return { markdown, holds: claims.every(({ holds }) => holds) };
}
