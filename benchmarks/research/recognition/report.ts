import type { FaceEngine } from '@svc/face-engine';
import { type EngineRecipe, engineRecipes } from '@svc/face-models';
import { claimsTable, markdownTable, markedSection } from '../markdown.ts';
import { attPairs, attPeople } from './att-faces.ts';
import { comparisonSection, type EngineFigures, engineClaims, measureEngine } from './engine-figures.ts';
import { comparing, type Enrolments, enrolAll, wipeEnrolments } from './enrolment.ts';
import { colourPeople } from './genuine.ts';
import { type MorphFigures, measureMorphs, morphSection } from './morphs.ts';
import { notFacesClaims } from './not-faces.ts';
import { organisersPage } from './organisers.ts';
import { type PhotoSet, photoSets } from './photo-sets.ts';
import { portraitsIn } from './portraits.ts';
import { measureDegraded, qualitySection } from './quality.ts';

/** Measured by a slower command, which writes its figures between the section's markers. */
const unmeasured = (title: string, name: string) => `## ${title}

Not measured in this copy: \`npm run evaluate:${name}\` in \`benchmarks\`.`;

const head = (engines: readonly EngineFigures[], missing: readonly EngineRecipe[]) => `# Accuracy

**What is missing comes first.** These figures are no certificate. The photo sets are small and public, and portraits are the easiest photos there are.
Nothing here says how error rates of real people differ between skins, ages or the sexes, nor how siblings and twins fare, who look alike and are not two people picked at
random, nor children, whose faces change within months. The makers of the network of \`retail-0095-mirror/4\` do not tell what it was trained on: its people may be
among those of these public photos, which would flatter it. Nobody was photographed at a door for this.
${missing.map(({ engineId, model }) => `\n**Not measured: \`${engineId}\`**, whose add-on is not installed here (\`npm run svc -- models add ${model}\`).\n`).join('')}
Written by \`npm run svc -- evaluate --report accuracy --out docs/accuracy.md\`, which takes some ten minutes and needs the photo
sets listed at the end; do not edit. [accuracy-for-organisers.md](accuracy-for-organisers.md) says it without words of statistics, [cli.md](cli.md) how to
measure your own photos and how the numbers of an engine are found.

Engines: ${engines.map(({ engine }) => `\`${engine.engineId}\`, shipped threshold ${engine.matchThreshold}`).join('; ')} (cosine; a score at the
threshold matches). The first serves where it is installed. Photos pass the API's
own decoder and enrolment, so a photo that the service would refuse is not compared. Rates are those of ISO/IEC 19795-1;
intervals are two-sided, 95 %, exact (Clopper–Pearson), and beside them such as resample people (bootstrap), since comparisons that share a person are
not independent.
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

export interface AccuracyReport {
  readonly markdown: string;
  /** Whether all claims hold. */
  readonly holds: boolean;
  /** The page for organisers. @param report the whole report, with its liveness part */
  organisers(report: string): string;
}

/**
 * The project's accuracy report, of every engine that is installed.
 * @param data folder of the photo sets
 */
export async function accuracyReport(engine: FaceEngine, data: string): Promise<AccuracyReport> {
  const { recipes } = engine;
  const [portraits, colour] = [await portraitsIn(data), await colourPeople(data)];
  const photos = [...portraits, ...colour.flat(), ...attPeople(data).flat()];
  const enrolments = new Map<string, Enrolments>();
  const engines: EngineFigures[] = [];
  const morphs: MorphFigures[] = [];
  try {
    for (const recipe of recipes) {
      const own = await enrolAll(engine, photos, 'one', recipe.engineId);
      enrolments.set(recipe.engineId, own);
      engines.push(
        measureEngine(comparing(engine, recipe), { portraits, colour, attPairs: attPairs(data), enrolments: own }),
      );
      morphs.push(await measureMorphs(engine, recipe, portraits, own));
    }
    const degraded = await measureDegraded({ engine, recipes, data, colour, enrolments });
    const claims = [...engines.flatMap(engineClaims), ...(await notFacesClaims(engine, data))];
    const missing = engineRecipes.filter((known) => recipes.every(({ engineId }) => engineId !== known.engineId));
    const parts = [
      head(engines, missing),
      '## In short',
      '',
      claimsTable(claims),
      '',
      comparisonSection(engines),
      '',
      morphSection(morphs),
      '',
      qualitySection(degraded),
      '',
      markedSection('visits', unmeasured('Whole visits', 'visits')),
      '',
      markedSection('liveness', unmeasured('Liveness', 'liveness')),
      '',
      '## The photo sets',
      '',
      'Public pictures of others, as they lay in these repositories; none of them is part of this project.',
      '',
      origins(),
      '',
    ];
    return {
      markdown: parts.join('\n'),
      holds: claims.every(({ holds }) => holds),
      organisers: (report) => organisersPage({ engines, morphs, missing, report }),
    };
  } finally {
    for (const own of enrolments.values()) wipeEnrolments(own.values());
  }
}
