import { type EngineRecipe, type FaceEngine, wipeAnalysis } from '@svc/face-engine';
import { readPhoto } from '../../inputs/read-photo.ts';
import { markdownTable, wrapped } from '../markdown.ts';
import { progress } from '../progress.ts';
import { describeRate, type Rate, rateOf } from '../rates.ts';
import { shortName } from './engine-figures.ts';
import { comparing, type Enrolled, type Enrolments } from './enrolment.ts';
import { scoreGallery } from './gallery.ts';
import { type MorphSource, morph, type Place } from './morph.ts';

const pairCount = 40;

/** Mesh points that are aligned in both faces: outline, brows, eyes, nose, lips. */
const bentPoints: readonly number[] = [
  [10, 297, 284, 389, 454, 361, 397, 379, 400, 152, 176, 150, 172, 132, 234, 162, 54, 67],
  [70, 105, 107, 300, 334, 336],
  [33, 133, 159, 145, 362, 263, 386, 374],
  [168, 6, 4, 2, 98, 327],
  [61, 291, 0, 17, 37, 267, 84, 314],
  [50, 280],
].flat();

/** Results of a set of morphs. */
export interface MorphRates {
  /** Minimum and maximum score of the mixed pairs. */
  readonly scores: readonly [number, number];
  /** Pairs that match without a morph. */
  readonly alreadyAlike: number;
  /**
   * `errors` counts successful attacks: morphs that enrol, and morphs that match both people, of all pairs and of those
   * that do not match without a morph.
   */
  readonly enrolled: Rate;
  readonly both: Rate;
  readonly bothOfUnlike: Rate;
}

/** Morphs of the pairs that an engine finds most similar, and of unselected pairs. */
export interface MorphFigures {
  readonly engineId: string;
  readonly alike: MorphRates;
  readonly unchosen: MorphRates;
}

/** Pairs by index from the whole list, each person once. */
export function unchosenPairs(people: number, count: number): [number, number][] {
  const half = Math.floor(people / 2);
  const step = Math.max(1, Math.floor(half / count));
  return Array.from({ length: Math.min(count, half) }, (_, i) => [i * step, i * step + half]);
}

/** The most similar pairs, each person once: the most similar two, then the most similar two of the rest. */
export function mostAlikePairs(scores: Float32Array, people: number, count: number): [number, number][] {
  const pairs: { left: number; right: number; score: number }[] = [];
  let next = 0;
  for (let left = 0; left < people; left++) {
    for (let right = left + 1; right < people; right++) pairs.push({ left, right, score: scores[next++] ?? -1 });
  }
  pairs.sort((a, b) => b.score - a.score);
  const taken = new Set<number>();
  const chosen: [number, number][] = [];
  for (const { left, right } of pairs) {
    if (chosen.length === count) break;
    if (taken.has(left) || taken.has(right)) continue;
    taken.add(left).add(right);
    chosen.push([left, right]);
  }
  return chosen;
}

const placesOf = ({ analysis: { landmarks } }: Enrolled): Place[] =>
  bentPoints.map((i) => ({ x: landmarks[3 * i] ?? 0, y: landmarks[3 * i + 1] ?? 0 }));

interface Person {
  readonly path: string;
  readonly enrolment: Enrolled;
}

/** Mixes each pair, and compares the result with both people. */
async function morphAll(
  engine: FaceEngine,
  { engineId, matchThreshold }: EngineRecipe,
  pairs: readonly (readonly Person[])[],
): Promise<MorphRates> {
  const bar = progress('morphs', pairs.length);
  const outcomes: { score: number; isEnrolled: boolean; isBoth: boolean }[] = [];
  for (const [left, right] of pairs) {
    bar.step();
    if (left === undefined || right === undefined) continue;
    const [first, second] = [await sourceOf(left), await sourceOf(right)];
    const mixed = morph(first, second);
    const result = await engine.enrol(mixed, { engineId });
    for (const { data } of [mixed, first.image, second.image]) data.fill(0);
    const matches = ({ enrolment }: Person) =>
      result.ok && engine.core.cosine(result.reference, enrolment.reference) >= matchThreshold;
    outcomes.push({
      score: engine.core.cosine(left.enrolment.reference, right.enrolment.reference),
      isEnrolled: result.ok,
      isBoth: matches(left) && matches(right),
    });
    if (!result.ok) continue;
    result.reference.fill(0);
    wipeAnalysis(result.analysis);
  }
  bar.done();
  const scores = outcomes.map(({ score }) => score);
  const unlike = outcomes.filter(({ score }) => score < matchThreshold);
  const both = (some: typeof outcomes) => rateOf(some.filter(({ isBoth }) => isBoth).length, some.length);
  return {
    scores: [Math.min(...scores), Math.max(...scores)],
    alreadyAlike: outcomes.length - unlike.length,
    enrolled: rateOf(outcomes.filter(({ isEnrolled }) => isEnrolled).length, outcomes.length),
    both: both(outcomes),
    bothOfUnlike: both(unlike),
  };
}

const sourceOf = async ({ path, enrolment }: Person): Promise<MorphSource> => ({
  image: await readPhoto(path),
  places: placesOf(enrolment),
});

/** Mixes the portraits that an engine finds most similar, and as many unselected ones. */
export async function measureMorphs(
  engine: FaceEngine,
  recipe: EngineRecipe,
  photos: readonly string[],
  enrolments: Enrolments,
): Promise<MorphFigures> {
  const people = photos.flatMap((path) => {
    const enrolment = enrolments.get(path);
    return enrolment?.ok ? [{ path, enrolment }] : [];
  });
  const { scores } = scoreGallery(
    comparing(engine, recipe),
    people.map(({ enrolment }) => enrolment.reference),
  );
  const peopleOf = (pairs: readonly [number, number][]): Person[][] =>
    pairs.map((pair) => pair.flatMap((i) => people[i] ?? []));
  return {
    engineId: recipe.engineId,
    alike: await morphAll(engine, recipe, peopleOf(mostAlikePairs(scores, people.length, pairCount))),
    unchosen: await morphAll(engine, recipe, peopleOf(unchosenPairs(people.length, pairCount))),
  };
}

export function morphSection(all: readonly MorphFigures[]): string {
  const rows = (whom: string, rates: (figures: MorphFigures) => MorphRates) => {
    const row = (label: string, cell: (rates: MorphRates) => string) => [
      `${whom}: ${label}`,
      ...all.map((one) => cell(rates(one))),
    ];
    return [
      row('scores of the pairs', ({ scores: [least, most] }) => `${least.toFixed(3)}–${most.toFixed(3)}`),
      row('pairs whose own photos match', ({ alreadyAlike, both }) => `${alreadyAlike}/${both.trials}`),
      row('morphs that enrol', ({ enrolled }) => describeRate(enrolled)),
      row('morphs that match both people', ({ both }) => describeRate(both)),
      row('morphs that match both, if the portraits do not match', ({ bothOfUnlike }) => describeRate(bothOfUnlike)),
    ];
  };
  return [
    '## Morphs',
    '',
    wrapped(`A morph blends the portraits of two people. Both are bent until their ${bentPoints.length} landmarks meet
halfway. Then the pixels are averaged. The morph is compared with both people at the shipped threshold. “Alike” are the
${pairCount} pairs that an engine finds most alike. “Unchosen” are ${pairCount} pairs spread over all portraits.`),
    '',
    markdownTable([
      ['', ...all.map(({ engineId }) => shortName(engineId))],
      ...rows('alike', ({ alike }) => alike),
      ...rows('unchosen', ({ unchosen }) => unchosen),
    ]),
    '',
    wrapped(`**Recognition does not stop morphs, and enrolment does not detect them.** A morph lets two people in on one
ticket, and a stricter threshold hardly prevents that. Let staff take the photos, or require the page's camera with a
liveness check, and let staff look at the guests. Real attacks can be weaker: printing and compressing cost quality.
They can be stronger: forgers retouch morphs and choose pairs.`),
  ].join('\n');
}
