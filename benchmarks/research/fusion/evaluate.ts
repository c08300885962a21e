import { STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import type { FaceEngine } from '@svc/face-engine';
import type { Evaluation } from '../main.ts';
import { markdownTable } from '../markdown.ts';
import { progress } from '../progress.ts';
import { clopperPearson95 } from '../rates.ts';
import { type Count, type EngineFigures, figuresOf, probeFrames } from './figures.ts';
import { framesPerVisit, type Person, places, type Visit, visitsOf } from './visits.ts';

/**
 * How averaging the templates of several frames changes error rates, per installed engine, in good and poor light: a
 * section of docs/liveness.md. Deterministic; about six seconds per person.
 */
export const evaluation: Evaluation = {
  options: { people: '90' },
  addOns: ['face-reidentification-retail-0095'],
  section: 'fusion',
  run: async ({ engine }, { people }) => ({ markdown: fusionMarkdown(await measureFusion(engine, Number(people))) }),
};

/** The poor-light places are pooled, because each alone has too few errors; the good one stands alone. */
const [good, ...poor] = places;
const groups = [[good], poor].map((group) => ({
  name: group.map((place) => place?.name).join('; '),
  isIn: ({ place }: Visit) => group.includes(places[place]),
}));

export interface FusionFigures {
  readonly people: number;
  readonly visits: number;
  /** Frames without a face, which a device does not compare. */
  readonly framesWithoutFace: number;
  /** The figures of each group of places. */
  readonly places: readonly { readonly name: string; readonly engines: readonly EngineFigures[] }[];
}

/** Simulates visits of `count` people and evaluates every recognition recipe of the engine. */
async function measureFusion(engine: FaceEngine, count: number): Promise<FusionFigures> {
  const people: Person[] = [];
  const visits: Visit[] = [];
  const bar = progress('people', count);
  for (let i = 0; i < count; i++) {
    const [person, own] = await visitsOf(engine, i);
    people.push(person);
    visits.push(...own);
    bar.step();
  }
  bar.done();
  const found = visits.reduce((sum, { frames }) => sum + frames.length, 0);
  return {
    people: count,
    visits: visits.length,
    framesWithoutFace: visits.length * framesPerVisit - found,
    places: groups.map(({ name, isIn }) => ({
      name,
      engines: engine.recipes.map((recipe) => figuresOf(engine, recipe, people, visits.filter(isIn))),
    })),
  };
}

const percent = (share: number): string => {
  const value = 100 * share;
  return value > 0 && value < 0.1 ? value.toFixed(3) : value.toFixed(1);
};

function rateText({ errors, trials }: Count): string {
  if (trials === 0) return '–';
  const [low, high] = clopperPearson95(errors, trials);
  const count = trials.toLocaleString('en');
  return `${percent(errors / trials)} % (${percent(low)}–${percent(high)}; ${errors.toLocaleString('en')} of ${count})`;
}

/** The section of docs/liveness.md. Deterministic. */
export function fusionMarkdown({ people, visits, framesWithoutFace, places }: FusionFigures): string {
  const { maxFrames } = STANDARD_POLICY.fusion;
  return [
    `Written by \`npm run evaluate:fusion -- --people ${people} --out ../docs/liveness.md\` in \`benchmarks\`; do not edit. ${people} rendered people whom no number
was found on, each enrolled from a good picture and then seen ${framesPerVisit} times, 300 ms apart, in each of four places: ${visits} visits. Blur, noise and darkness are drawn anew for each frame. In
${framesWithoutFace} of ${visits * framesPerVisit} frames no face was found. Others: every visit with every other person's reference. Exact intervals (Clopper–Pearson), two-sided, 95 %; those of others
take the pairs for independent, which pairs of the same people are not.`,
    '',
    `One comparison, of the first frames of a visit; and a whole frontal stage, up to ${framesPerVisit} comparisons until one matches: each frame alone, or as devices do it, with the mean of up to ${maxFrames}.`,
    '',
    markdownTable([
      ['engine', 'place', 'probe', 'own visits below the threshold (FNMR)', 'others at or above it (FMR)'],
      ...places.flatMap(({ name, engines }) =>
        engines.flatMap(({ engineId, comparisons, frameByFrame, fused }) =>
          [
            ...comparisons.map((errors, i) => [i === 0 ? 'one frame' : `mean of ${probeFrames[i]}`, errors] as const),
            ['the stage, each frame alone', frameByFrame] as const,
            ['the stage, mean', fused] as const,
          ].map(([probe, { fnmr, fmr }]) => [`\`${engineId}\``, name, probe, rateText(fnmr), rateText(fmr)]),
        ),
      ),
    ]),
  ].join('\n');
}
