import type { FaceEngine } from '@svc/face-engine';
import { figuresOf } from './figures.ts';
import type { FusionFigures } from './report.ts';
import { framesPerVisit, type Person, places, type Visit, visitsOf } from './visits.ts';

/** The poor places together, since each alone has few errors; the good one by itself. */
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

/** Visits of so many people, with every engine that the given one has. */
export async function measureFusion(
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
