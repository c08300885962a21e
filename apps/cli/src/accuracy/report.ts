import { markdownTable, markedSection } from '@svc/benchmarks/statistics/markdown';
import { type EngineRecipe, engineRecipes } from '@svc/face-models';
import { withEngine } from '../engine.ts';
import { comparing, enrolForEngines, enrolmentsOf } from '../evaluation/enrol-for-engines.ts';
import { wipeEnrolments } from '../evaluation/enrolment.ts';
import { attPairs, attPeople } from './att-faces.ts';
import { measureDegraded } from './degraded.ts';
import {
  comparisonSection,
  type EngineFigures,
  engineClaims,
  engineSections,
  measureEngine,
} from './engine-figures.ts';
import { colourPeople, pathsOf } from './genuine.ts';
import { portraitsIn } from './impostors.ts';
import { type MorphFigures, measureMorphs, morphSection } from './morphs.ts';
import { notFacesSection } from './not-faces.ts';
import { organisersPage } from './organisers.ts';
import { type PhotoSet, photoSets, requireData } from './photo-sets.ts';
import { qualitySection } from './quality-section.ts';

/** Measured by a slower command, which writes its figures between the section's markers. */
const unmeasuredLiveness = `## Liveness

Not measured in this copy: \`npm run evaluate:liveness\` in \`benchmarks\`.`;

const head = (engines: readonly EngineFigures[], missing: readonly EngineRecipe[]) => `# Accuracy

**What is missing comes first.** These figures are no certificate. The photo sets are small and public, and portraits are the easiest photos there are.
Nothing here says how error rates differ between skins, ages or the sexes, nor how siblings and twins fare, who look alike and are not two people picked at
random, nor children, whose faces change within months. The makers of the network of \`retail-0095-mirror/3\` do not tell what it was trained on: its people may be
among those of these public photos, which would flatter it. Nobody was photographed at a door for this.
${missing.map(({ engineId, model }) => `\n**Not measured: \`${engineId}\`**, whose add-on is not installed here (\`npm run svc -- models add ${model}\`).\n`).join('')}
Written by \`npm run svc -- evaluate --report accuracy --out docs/accuracy.md\`, which takes some ten minutes and needs the photo
sets listed at the end; do not edit. [accuracy-for-organisers.md](accuracy-for-organisers.md) says it without words of statistics, [cli.md](cli.md) how to
measure your own photos and how the numbers of an engine are found.

Engines: ${engines.map(({ engineId, shippedThreshold }) => `\`${engineId}\`, shipped threshold ${shippedThreshold}`).join('; ')} (cosine; a score at the
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
 * The project's accuracy report.
 * @param data folder of the photo sets; default: the one beside the repository
 * @throws CliError if a set is missing
 */
export async function accuracyReport(data: string | undefined): Promise<AccuracyReport> {
  const folder = requireData(data);
  return withEngine(
    async ({ engine }) => {
      const { recipes } = engine;
      const [portraits, colour, pairs] = [await portraitsIn(folder), await colourPeople(folder), attPairs(folder)];
      // Faces, landmarks and quality do not depend on the engine, and are found once.
      const photos = [...portraits, ...pathsOf(colour), ...attPeople(folder).flat()];
      const enrolments = await enrolForEngines(engine, photos, recipes);
      try {
        const engines = recipes.map((recipe) =>
          measureEngine(comparing(engine, recipe), {
            portraits,
            colour,
            attPairs: pairs,
            enrolments: enrolmentsOf(enrolments, recipe),
          }),
        );
        const morphs: MorphFigures[] = [];
        for (const recipe of recipes) {
          morphs.push(await measureMorphs(engine, recipe, portraits, enrolmentsOf(enrolments, recipe)));
        }
        const degraded = await measureDegraded({ engine, recipes, data: folder, colour, enrolments });
        const notFaces = await notFacesSection(engine, folder);
        const claims = [...engines.flatMap(engineClaims), ...notFaces.claims];
        const missing = engineRecipes.filter((known) => recipes.every(({ engineId }) => engineId !== known.engineId));
        const markdown = [
          head(engines, missing),
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
          morphSection(morphs),
          '',
          qualitySection(recipes.map((recipe) => ({ recipe, pictures: degraded.get(recipe.engineId) ?? [] }))),
          '',
          notFaces.markdown,
          '',
          markedSection('liveness', unmeasuredLiveness),
          '',
          '## The photo sets',
          '',
          'Public pictures of others, as they lay in these repositories; none of them is part of this project.',
          '',
          origins(),
          '',
        ].join('\n');
        return {
          markdown,
          holds: claims.every(({ holds }) => holds),
          organisers: (report) => organisersPage({ engines, morphs, missing, report }),
        };
      } finally {
        for (const own of enrolments.values()) wipeEnrolments(own.values());
      }
    },
    { passiveModel: null },
  );
}
