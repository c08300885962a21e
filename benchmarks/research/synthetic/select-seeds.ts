import { writeFile } from 'node:fs/promises';
import type { EngineRecipe } from '@svc/face-engine';
import { firstWideSeed } from '@svc/synthetic-faces';
import type { OpenEngine } from '../../inputs/engine.ts';
import { meanOf, rankQuantile } from '../../inputs/summary.ts';
import { withFace } from '../first-face.ts';
import type { Evaluation } from '../main.ts';
import { cosineOf, identityRender, passiveFigures, yawError } from './identities.ts';

/**
 * Margins as a fraction of the distance from an engine's threshold to 1: below it for other people, above it for a
 * turned person.
 */
const otherMargin = 0.01;
const selfMargin = 0.45;
/**
 * Number of people that define the mean face, and the share of later people, the furthest from the mean by the first
 * engine, that is examined further.
 */
const usualPeople = 60;
const unusualShare = 0.5;
const yawMeanErrorDeg = 4;
const yawWorstErrorDeg = 7;
const liveMean = 0.75;
const liveLeast = 0.4;
const attackMean = 0.3;
const target = new URL('../../../packages/synthetic-faces/src/published-seeds.ts', import.meta.url);

/** Why a person is no candidate. */
class Refusal {
  constructor(readonly reason: string) {}
}

/** A person's frontal references, one per engine. */
interface Candidate {
  readonly seed: number;
  readonly references: readonly Float32Array[];
}

const above = ({ matchThreshold }: EngineRecipe, share: number): number =>
  matchThreshold + share * (1 - matchThreshold);

function createJudge({ engine, passiveLiveness }: OpenEngine) {
  const { recipes } = engine;
  /** The first engine's references of the people that define the mean face. */
  const usual: Float32Array[] = [];
  const usualness = (reference: Float32Array): number =>
    meanOf(usual.filter((other) => other !== reference).map((other) => cosineOf(other, reference)));
  let usualLimit = 0;

  function isUsual(reference: Float32Array): boolean {
    if (usual.length < usualPeople) {
      usual.push(reference);
      if (usual.length < usualPeople) return true;
      usualLimit = rankQuantile(usual.map(usualness), unusualShare);
    }
    return usualness(reference) > usualLimit;
  }

  /** Whether every engine matches the person turned by this much. */
  const isSelf = (seed: number, yawDeg: number, references: readonly Float32Array[]) =>
    withFace(engine, identityRender(seed, { yawDeg }), async (face, image) => {
      for (const [i, recipe] of recipes.entries()) {
        const embedding = await engine.embed(image, face, { engineId: recipe.engineId });
        if (cosineOf(embedding, references[i] ?? embedding) < above(recipe, selfMargin)) return false;
      }
      return true;
    });

  return async (seed: number): Promise<Candidate | Refusal> => {
    const references: Float32Array[] = [];
    for (const { engineId } of recipes) {
      const enrolled = await engine.enrol(identityRender(seed, {}), { engineId });
      if (!enrolled.ok) return new Refusal('not enrolled');
      if (references.length === 0 && isUsual(enrolled.reference)) return new Refusal('too usual');
      references.push(enrolled.reference);
    }
    const errors: number[] = [];
    for (const yawDeg of [-30, 30, -15, 15]) {
      errors.push(Math.abs(await yawError(engine, seed, yawDeg)));
      if (Math.max(...errors) > yawWorstErrorDeg) return new Refusal('yaw off');
      if (Math.abs(yawDeg) === 15 && !(await isSelf(seed, yawDeg, references))) {
        return new Refusal('not himself when turned');
      }
    }
    if (meanOf(errors) > yawMeanErrorDeg) return new Refusal('yaw off');
    if (passiveLiveness) {
      const { live, print, screen } = await passiveFigures(engine, passiveLiveness, seed, [0]);
      if (live.length < 3 || meanOf(live) < liveMean || Math.min(...live) < liveLeast) {
        return new Refusal('live not live');
      }
      const isSeen = (scores: readonly number[]) => scores.length === 0 || meanOf(scores) <= attackMean;
      if (!isSeen(print) || !isSeen(screen)) return new Refusal('attack not seen');
    }
    return { seed, references };
  };
}

/** A largest set of mutually distinct people: repeatedly drops the person who is too similar to most others. */
function unlike(fit: readonly Candidate[], recipes: readonly EngineRecipe[]): Candidate[] {
  const isAlike = (a: Candidate, b: Candidate): boolean =>
    recipes.some(
      (recipe, i) =>
        cosineOf(a.references[i] as Float32Array, b.references[i] as Float32Array) >= above(recipe, -otherMargin),
    );
  let left = fit.map((candidate) => ({
    candidate,
    others: new Set(fit.filter((other) => other !== candidate && isAlike(candidate, other)).map(({ seed }) => seed)),
  }));
  while (left.length > 0) {
    const most = left.reduce((worst, entry) => (entry.others.size >= worst.others.size ? entry : worst));
    if (most.others.size === 0) break;
    left = left.filter((entry) => entry !== most);
    for (const { others } of left) others.delete(most.candidate.seed);
  }
  return left.map(({ candidate }) => candidate);
}

/**
 * Chooses the published identities from the seeds of wide people, by the rules below, and writes
 * packages/synthetic-faces/src/published-seeds.ts. Takes about an hour of one core.
 */
export const evaluation: Evaluation = {
  options: { identities: '200' },
  addOns: ['minifasnet', 'face-reidentification-retail-0095'],
  needsAddOns: true,
  async run(node, { identities }) {
    const wanted = Number(identities);
    const judge = createJudge(node);
    const fit: Candidate[] = [];
    const reasons = new Map<string, number>();
    let [tried, chosen]: [number, Candidate[]] = [0, []];
    while (chosen.length < wanted && tried < 100 * wanted) {
      const judged = await judge(firstWideSeed + tried++);
      if (judged instanceof Refusal) reasons.set(judged.reason, (reasons.get(judged.reason) ?? 0) + 1);
      else {
        fit.push(judged);
        chosen = unlike(fit, node.engine.recipes);
      }
      if (tried % 25 === 0) console.error(`${chosen.length} of ${fit.length} fit of ${tried}`);
    }
    const seeds = chosen.slice(0, wanted).map(({ seed }) => seed);
    await writeFile(
      target,
      `/** Seeds whose people the engines tell apart: ${seeds.length} of the first ${tried} wide people, chosen by \`npm run select:synthetic\`. */\nexport const publishedSeeds: readonly number[] = [${seeds.join(', ')}];\n`,
    );
    return { markdown: `accepted ${seeds.length} of ${tried}: ${JSON.stringify(Object.fromEntries(reasons))}` };
  },
};
