import { withEngine } from '../engine.ts';
import { markdownTable } from '../output.ts';
import { attSection } from './att-faces.ts';
import type { Section } from './claim.ts';
import { genuineSection } from './genuine.ts';
import { impostorSection } from './impostors.ts';
import { notFacesSection } from './not-faces.ts';
import { type PhotoSet, photoSets, requireData } from './photo-sets.ts';

const head = (engineId: string, threshold: number) => `# Accuracy

Written by \`npm run svc -- evaluate --report accuracy --out docs/accuracy.md\`, which takes a few minutes and needs the photo
sets listed at the end; do not edit. [cli.md](cli.md) tells how to measure your own photos.

Engine \`${engineId}\`, shipped threshold ${threshold} (cosine; a score at the threshold matches). Photos pass the API's
own decoder and enrolment, so a photo that the service would refuse is not compared. Rates are those of ISO/IEC 19795-1;
intervals are exact (Clopper–Pearson), two-sided, 95 %.

What these figures are not: a certificate. The sets are small and public; portraits are the easiest photos there are; nothing
here says how error rates differ between groups of people, nor how the engine does on the faces of children. False match
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
  return withEngine(async ({ engine }) => {
    const impostors = await impostorSection(engine, folder);
    const sections: Section[] = [
      impostors,
      await genuineSection(engine, folder, impostors.threshold),
      await notFacesSection(engine, folder),
      await attSection(engine, folder),
    ];
    const claims = sections.flatMap((section) => section.claims);
    const markdown = [
      head(engine.engineId, engine.matchThreshold),
      '## In short',
      '',
      markdownTable([
        ['claim', 'holds', 'measured'],
        ...claims.map(({ claim, holds, measured }) => [claim, holds ? 'yes' : '**no**', measured]),
      ]),
      '',
      ...sections.flatMap((section) => [section.markdown, '']),
      '## The photo sets',
      '',
      'Public pictures of others, as they lay in these repositories; none of them is part of this project.',
      '',
      origins(),
      '',
    ].join('\n');
    return { markdown, holds: claims.every(({ holds }) => holds) };
  });
}
