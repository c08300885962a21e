import { existsSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { EngineRecipe, PassiveLiveness } from '@svc/face-engine';
import { firstWideSeed, type RenderedImage } from '@svc/synthetic-faces';
import { openEngine, temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { meanOf, rankQuantile } from '../../statistics/summary.ts';
import { cosineOf, identityRender, passiveFigures, scored, trackedYaw } from './measure.ts';

/**
 * Chooses the published identities from the seeds of wide people. A candidate must, with every installed engine, enrol
 * from the front, match when turned, be tracked correctly, and look live in person and flat on paper and screen. People
 * near an engine's mean face resemble many others and are skipped early. From the candidates, the person with the most
 * near matches is dropped repeatedly, until all pairs are below every engine's threshold by a margin.
 *
 * Writes packages/synthetic-faces/src/published-seeds.ts, and a journal of each seed's result, from which a later run
 * resumes.
 *
 * Usage: select-seeds.ts [count = 200] [journal = none]
 */
const wanted = Number(process.argv[2] ?? 200);
const journal = process.argv[3];
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
const target = fileURLToPath(new URL('../../../packages/synthetic-faces/src/published-seeds.ts', import.meta.url));

type Refusal =
  | 'not enrolled'
  | 'too usual'
  | 'not himself when turned'
  | 'yaw off'
  | 'live not live'
  | 'attack not seen';

/** A person's frontal references, one per engine. */
interface Candidate {
  readonly seed: number;
  readonly references: readonly Float32Array[];
}

const addOn = await temporaryAddOn(['minifasnet', 'face-reidentification-retail-0095']);
if (!addOn) console.log('without the add-ons: one engine chooses alone, and nobody is asked to look live');
const { engine, passiveLiveness, close } = await openEngine(withMiniFasNet(addOn?.directory ?? null));
const { recipes } = engine;
console.log(`engines ${recipes.map(({ engineId }) => engineId).join(', ')}`);

const above = ({ matchThreshold }: EngineRecipe, share: number): number =>
  matchThreshold + share * (1 - matchThreshold);

/** The first engine's references of the people that define the mean face. */
const usual: Float32Array[] = [];
const usualness = (reference: Float32Array): number =>
  meanOf(usual.filter((other) => other !== reference).map((other) => cosineOf(other, reference)));
let usualLimit = 0;

/** References of a person whom every engine enrols and who is far enough from the mean face. */
async function frontal(seed: number): Promise<readonly Float32Array[] | Refusal> {
  const render = identityRender(seed, 0);
  const references: Float32Array[] = [];
  for (const { engineId } of recipes) {
    const enrolled = await engine.enrol(render, { engineId });
    if (!enrolled.ok) return 'not enrolled';
    const reference = Float32Array.from(enrolled.reference);
    if (references.length === 0) {
      if (usual.length < usualPeople) {
        usual.push(reference);
        if (usual.length < usualPeople) return 'too usual';
        usualLimit = rankQuantile(usual.map(usualness), unusualShare);
        console.log(`usual from a mean cosine of ${usualLimit.toFixed(3)}`);
      }
      if (usualness(reference) > usualLimit) return 'too usual';
    }
    references.push(reference);
  }
  return references;
}

/** Error of the tracked yaw, degrees; null if an engine does not match the turned face. */
async function turnedError(render: RenderedImage, yawDeg: number, references: readonly Float32Array[]) {
  const image = engine.open(render);
  try {
    const [first] = await engine.detect(image);
    const analysis = first ? await engine.analyse(image, first) : null;
    if (!analysis) return null;
    for (const [i, recipe] of recipes.entries()) {
      const embedding = await engine.embed(image, analysis, { engineId: recipe.engineId });
      if (cosineOf(embedding, references[i] ?? embedding) < above(recipe, selfMargin)) return null;
    }
    return Math.abs(analysis.pose.yawDeg - yawDeg);
  } finally {
    image.dispose();
  }
}

async function turned(seed: number, references: readonly Float32Array[]): Promise<Refusal | null> {
  const errors: number[] = [];
  for (const yawDeg of [-30, 30]) {
    const tracked = await trackedYaw(engine, identityRender(seed, yawDeg));
    errors.push(tracked === null ? Number.POSITIVE_INFINITY : Math.abs(tracked - yawDeg));
    if (Math.max(...errors) > yawWorstErrorDeg) return 'yaw off';
  }
  for (const yawDeg of [-15, 15]) {
    const error = await turnedError(identityRender(seed, yawDeg), yawDeg, references);
    if (error === null) return 'not himself when turned';
    errors.push(error);
  }
  return meanOf(errors) > yawMeanErrorDeg || Math.max(...errors) > yawWorstErrorDeg ? 'yaw off' : null;
}

async function live(passive: PassiveLiveness, seed: number): Promise<Refusal | null> {
  const figures = await passiveFigures(engine, passive, seed, [0]);
  const scores = scored(figures.live);
  if (scores.length < 3 || meanOf(scores) < liveMean || Math.min(...scores) < liveLeast) return 'live not live';
  for (const attack of [scored(figures.print), scored(figures.screen)]) {
    if (attack.length > 0 && meanOf(attack) > attackMean) return 'attack not seen';
  }
  return null;
}

async function judge(seed: number): Promise<Candidate | Refusal> {
  const references = await frontal(seed);
  if (typeof references === 'string') return references;
  const refusal = (await turned(seed, references)) ?? (passiveLiveness ? await live(passiveLiveness, seed) : null);
  return refusal ?? { seed, references };
}

/** A largest set of mutually distinct people: repeatedly drops the person who is too similar to most others. */
function unlike(fit: readonly Candidate[]): Candidate[] {
  const alike = (a: Candidate, b: Candidate): boolean =>
    recipes.some(
      (recipe, i) =>
        cosineOf(a.references[i] as Float32Array, b.references[i] as Float32Array) >= above(recipe, -otherMargin),
    );
  let left = fit.map((candidate) => ({
    candidate,
    others: new Set(fit.filter((other) => other !== candidate && alike(candidate, other)).map(({ seed }) => seed)),
  }));
  for (;;) {
    const most = left.reduce((worst, entry) => (entry.others.size >= worst.others.size ? entry : worst));
    if (most.others.size === 0) return left.map(({ candidate }) => candidate);
    left = left.filter((entry) => entry !== most);
    for (const { others } of left) others.delete(most.candidate.seed);
  }
}

/**
 * One line of the journal per seed: a refusal's name, or a candidate's references, or the first engine's reference of a
 * person that defines the mean face.
 */
interface Entry {
  readonly seed: number;
  readonly refusal?: Refusal;
  readonly references?: readonly (readonly number[])[];
  readonly usual?: readonly number[];
}

const fit: Candidate[] = [];
const reasons = new Map<Refusal, number>();
const count = (refusal: Refusal): unknown => reasons.set(refusal, (reasons.get(refusal) ?? 0) + 1);
let tried = 0;
if (journal !== undefined && existsSync(journal)) {
  for (const line of (await readFile(journal, 'utf8')).trim().split('\n')) {
    const entry = JSON.parse(line) as Entry;
    tried = entry.seed - firstWideSeed + 1;
    if (entry.usual) usual.push(Float32Array.from(entry.usual));
    if (entry.refusal !== undefined) count(entry.refusal);
    if (entry.references)
      fit.push({ seed: entry.seed, references: entry.references.map((values) => Float32Array.from(values)) });
  }
  if (usual.length === usualPeople) usualLimit = rankQuantile(usual.map(usualness), unusualShare);
}
let chosen: Candidate[] = fit.length > 0 ? unlike(fit) : [];
while (chosen.length < wanted && tried < 100 * wanted) {
  const seed = firstWideSeed + tried++;
  const knownUsual = usual.length;
  const judged = await judge(seed);
  if (typeof judged === 'string') count(judged);
  else {
    fit.push(judged);
    chosen = unlike(fit);
  }
  const entry: Entry = {
    seed,
    ...(typeof judged === 'string'
      ? { refusal: judged }
      : { references: judged.references.map((values) => [...values]) }),
    ...(usual.length > knownUsual ? { usual: [...(usual.at(-1) ?? [])] } : {}),
  };
  if (journal !== undefined) await appendFile(journal, `${JSON.stringify(entry)}\n`);
  if (tried % 25 === 0) console.log(`${chosen.length} of ${fit.length} fit of ${tried}`, Object.fromEntries(reasons));
}
const accepted = chosen.slice(0, wanted);
close();
await addOn?.remove();
console.log(
  `accepted ${accepted.length} of ${tried}: ${((100 * accepted.length) / tried).toFixed(1)} %`,
  Object.fromEntries(reasons),
);
const rows: string[] = [];
for (let i = 0; i < accepted.length; i += 20)
  rows.push(
    `  ${accepted
      .slice(i, i + 20)
      .map((entry) => entry.seed)
      .join(', ')},`,
  );
await writeFile(
  target,
  `/** Seeds whose people the engines tell apart: ${accepted.length} of the first ${tried} wide people, chosen by benchmarks/accuracy/synthetic/select-seeds.ts. */\nexport const publishedSeeds: readonly number[] = [\n${rows.join('\n')}\n];\n`,
);
