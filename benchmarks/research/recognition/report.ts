import type { FaceEngine } from '@svc/face-engine';
import { type EngineRecipe, engineRecipes } from '@svc/face-models';
import { claimsTable, markdownTable, markedSection, wrapped } from '../markdown.ts';
import { attPairs, attPeople } from './att-faces.ts';
import { comparisonSection, type EngineFigures, engineClaims, measureEngine, shortName } from './engine-figures.ts';
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

const head = (engines: readonly EngineFigures[], missing: readonly EngineRecipe[]) =>
  wrapped(`# Accuracy

**First, what is missing.** These figures certify nothing. The photo sets are small, public and mostly portraits, which
are the easiest photos. No photo was taken at a door. Nothing shows the error rates of real people by skin, age or sex,
or of siblings, twins and children. The makers of the engine \`retail-0095-mirror/4\` do not say which photos trained
it. Our test photos may be among them.
${missing.map(({ engineId, model }) => `\n**Not measured: \`${engineId}\`**, whose add-on is not installed here (\`npm run svc -- models add ${model}\`).\n`).join('')}
Written by \`npm run svc -- evaluate --report accuracy --out docs/internals/accuracy.md\`; do not edit.
Measure your own photos with [\`svc evaluate\`](../reference/cli.md). [The page for organisers](../guide/accuracy.md)
explains the results without statistics.

- **Engines**: ${engines.map(({ engine: { engineId, matchThreshold } }) => `\`${engineId}\` (**${shortName(engineId)}**), threshold ${matchThreshold}`).join('; ')}. The service uses the first that is installed.
Two photos match if their score (the cosine of their templates) is at least the threshold.
- **Rates** (ISO/IEC 19795-1): fmr (false match rate) is the share of matches among pairs of two people's photos. fnmr
(false non-match rate) is the share of misses among pairs of one person's photos. Brackets contain counts and an exact
95 % interval (Clopper–Pearson). Pairs that share a person are not independent, so “people” gives a second interval,
from resampling people (bootstrap). A claimed fmr fails if even the low end of the exact interval exceeds it.
- **Thresholds**: portraits are numbered by file name. Odd ones set a threshold for an fmr of 1e-4; even ones test it.
All portraits set another, and AT&T a third. [The highest](../reference/cli.md#many-photos), rounded up, is shipped.
- **[Photos](#the-photo-sets)** that the API would refuse are not compared.
`);

const origins = (): string =>
  markdownTable([
    ['folder', 'what', 'GitHub repository', 'licence'],
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
      'Public pictures; none is part of this project.',
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
