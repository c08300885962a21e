import type { EngineRecipe, FaceEngine } from '@svc/face-engine';
import { wipeAnalysis } from '@svc/face-engine';
import { describeRate } from '../evaluation/describe.ts';
import { comparing } from '../evaluation/enrol-for-engines.ts';
import type { Enrolment } from '../evaluation/enrolment.ts';
import { scoreGallery } from '../evaluation/evaluate-gallery.ts';
import { morph } from '../images/morph.ts';
import { readPhoto } from '../images/read-photo.ts';
import type { Place } from '../images/thin-plate.ts';
import { markdownTable, progress } from '../output.ts';
import { type Rate, rateOf } from '../statistics/interval.ts';

const pairCount = 40;

/** Points of the mesh that both faces are bent to: outline, brows, eyes, nose, lips. */
const bentPoints: readonly number[] = [
  [10, 297, 284, 389, 454, 361, 397, 379, 400, 152, 176, 150, 172, 132, 234, 162, 54, 67],
  [70, 105, 107, 300, 334, 336],
  [33, 133, 159, 145, 362, 263, 386, 374],
  [168, 6, 4, 2, 98, 327],
  [61, 291, 0, 17, 37, 267, 84, 314],
  [50, 280],
].flat();

type Enrolled = Extract<Enrolment, { ok: true }>;

/** Morphs of one engine's most alike people. */
export interface MorphFigures {
  readonly engineId: string;
  /** Least and greatest score of the pairs that were mixed. */
  readonly scores: readonly [number, number];
  /** Pairs that match without any morph. */
  readonly alreadyAlike: number;
  /** `errors` counts what succeeds: morphs that enrol, and morphs that match both people, of all and of those that enrol. */
  readonly enrolled: Rate;
  readonly bothOfAll: Rate;
  readonly bothOfEnrolled: Rate;
}

/** The most alike pairs, each person once: the most alike two first, then the most alike two of the others. */
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

/** Mixes the portraits that an engine finds most alike, and asks it whom it takes the result for. */
export async function measureMorphs(
  engine: FaceEngine,
  recipe: EngineRecipe,
  photos: readonly string[],
  enrolments: ReadonlyMap<string, Enrolment>,
): Promise<MorphFigures> {
  const { engineId, matchThreshold } = recipe;
  const people = photos.flatMap((path) => {
    const enrolment = enrolments.get(path);
    return enrolment?.ok ? [{ path, enrolment }] : [];
  });
  const { scores } = scoreGallery(
    comparing(engine, recipe),
    people.map(({ enrolment }) => enrolment.reference),
  );
  const pairs = mostAlikePairs(scores, people.length, pairCount);
  const bar = progress('morphs', pairs.length);
  const found: number[] = [];
  let [enrolled, both] = [0, 0];
  for (const [i, j] of pairs) {
    const [left, right] = [people[i], people[j]];
    bar.step();
    if (left === undefined || right === undefined) continue;
    found.push(engine.core.cosine(left.enrolment.reference, right.enrolment.reference));
    const sources = [];
    for (const { path, enrolment } of [left, right]) {
      sources.push({ image: await readPhoto(path), places: placesOf(enrolment) });
    }
    const [first, second] = sources;
    if (first === undefined || second === undefined) continue;
    const mixed = morph(first, second);
    const result = await engine.enrol(mixed, { engineId });
    for (const { data } of [mixed, first.image, second.image]) data.fill(0);
    if (!result.ok) continue;
    enrolled += 1;
    const { reference, analysis } = result;
    const isBoth = [left, right].every(
      ({ enrolment }) => engine.core.cosine(reference, enrolment.reference) >= matchThreshold,
    );
    if (isBoth) both += 1;
    reference.fill(0);
    wipeAnalysis(analysis);
  }
  bar.done();
  return {
    engineId,
    scores: [Math.min(...found), Math.max(...found)],
    alreadyAlike: found.filter((score) => score >= matchThreshold).length,
    enrolled: rateOf(enrolled, pairs.length),
    bothOfAll: rateOf(both, pairs.length),
    bothOfEnrolled: rateOf(both, enrolled),
  };
}

export function morphSection(all: readonly MorphFigures[]): string {
  const row = (label: string, cell: (figures: MorphFigures) => string) => [label, ...all.map(cell)];
  return [
    '## Morphs',
    '',
    `A morph is one picture of two people. For each engine the ${pairCount} most alike pairs of portraits by that engine, each person once: one is laid onto the`,
    `other, both are bent to the mean of ${bentPoints.length} landmarks (thin-plate spline, the border held), and the pixels are averaged. What enrols is compared with`,
    'both people at the shipped threshold. The rates are exact, 95 %.',
    '',
    markdownTable([
      ['', ...all.map(({ engineId }) => `\`${engineId}\``)],
      row('scores of the two people', ({ scores: [least, most] }) => `${least.toFixed(3)} – ${most.toFixed(3)}`),
      row('pairs that match without a morph', ({ alreadyAlike, enrolled }) => `${alreadyAlike} of ${enrolled.trials}`),
      row('morphs that enrol', ({ enrolled }) => describeRate(enrolled)),
      row('morphs that enrol and match both people', ({ bothOfAll }) => describeRate(bothOfAll)),
      row('of those that enrol', ({ bothOfEnrolled }) => describeRate(bothOfEnrolled)),
    ]),
    '',
    'What it means: **recognition does not stop morphs, and enrolment does not see them.** Whoever may send in a photo of his own choice can send one that opens the door',
    'to two people who look somewhat alike, on one ticket. A closer match would not help: a morph is made to be near both. What helps is a photo that is taken',
    'under somebody’s eyes, or by the page’s own camera with a check of liveness, instead of a file; and staff who look at who comes. The rate flatters the attacker: the',
    'pairs are the most alike of hundreds, the pictures are compared with the very photos that were mixed, and nothing was printed or compressed. It flatters the engine',
    'too: a careful forger retouches, and this one did not.',
  ].join('\n');
}
