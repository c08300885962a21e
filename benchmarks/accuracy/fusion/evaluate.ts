import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { FaceEngine } from '@svc/face-engine';
import { openEngine, temporaryAddOn } from '../../inputs/engine.ts';
import { replaceSection } from '../../statistics/markdown.ts';
import { figuresOf } from './figures.ts';
import { type FusionFigures, fusionMarkdown } from './report.ts';
import { framesPerVisit, type Person, places, type Visit, visitsOf } from './visits.ts';

/** The poor-light places are pooled, because each alone has too few errors; the good one stands alone. */
const groups: readonly { readonly name: string; readonly places: readonly number[] }[] = [
  { name: places[0]?.name ?? '', places: [0] },
  {
    name: places
      .slice(1)
      .map(({ name }) => name)
      .join('; '),
    places: places.slice(1).map((_, i) => i + 1),
  },
];

/** Simulates visits of `count` people and evaluates every recognition recipe of the engine. */
async function measureFusion(
  engine: FaceEngine,
  count: number,
  progress: (done: number) => void = () => undefined,
): Promise<FusionFigures> {
  const people: Person[] = [];
  const visits: Visit[] = [];
  for (let i = 0; i < count; i++) {
    const [person, own] = await visitsOf(engine, i);
    people.push(person);
    visits.push(...own);
    progress(people.length);
  }
  const found = visits.reduce((sum, { frames }) => sum + frames.length, 0);
  return {
    people: count,
    visits: visits.length,
    framesWithoutFace: visits.length * framesPerVisit - found,
    places: groups.map(({ name, places: own }) => ({
      name,
      engines: engine.recipes.map((recipe) =>
        figuresOf(
          engine,
          recipe,
          people,
          visits.filter(({ place }) => own.includes(place)),
        ),
      ),
    })),
  };
}

/**
 * Measures how averaging the templates of several frames changes error rates, per installed engine, in good and poor
 * light. Deterministic; about six seconds per person.
 *
 * Usage: evaluate.ts [--people 90] [--out FILE], where FILE is a document with a fusion section; default: print
 */
const { values } = parseArgs({ options: { people: { type: 'string', default: '90' }, out: { type: 'string' } } });

const addOn = await temporaryAddOn(['face-reidentification-retail-0095']);
if (addOn === null) process.stderr.write('face-reidentification-retail-0095: skipped: no ../shared\n');
try {
  const { engine, close } = await openEngine({ addOnDirectory: addOn?.directory ?? null, passiveModel: null });
  const figures = await measureFusion(engine, Number(values.people), (done) =>
    process.stderr.write(`${done} of ${values.people} people\n`),
  );
  close();
  const markdown = fusionMarkdown(figures);
  if (values.out === undefined) console.log(markdown);
  else await writeFile(values.out, replaceSection(await readFile(values.out, 'utf8'), 'fusion', markdown));
} finally {
  await addOn?.remove();
}
