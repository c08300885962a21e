import { createNodeFaceEngine } from '@svc/face-engine/node';
import { levels, type Outcome, runCampaign, separating } from './campaign.ts';
import { exactInterval } from './exact-interval.ts';
import { answersToAnother } from './ideal-answers.ts';
import { type Kind, kinds } from './trial.ts';

/**
 * The figures of docs/light-challenge.md. Some 35 s of processor time a person. The policy was set on people 20 to 26 and 100 to 105; the others had no part in it.
 *
 * Usage: evaluate.ts [people = 20] [first = 106] [ideal answers to another sequence = 2000] [kinds, with commas = all]
 */
const count = Number(process.argv[2] ?? 20);
const first = Number(process.argv[3] ?? 106);
const guesses = Number(process.argv[4] ?? 2000);
const asked = process.argv[5]?.split(',');
const tried = kinds.filter((kind) => asked?.includes(kind) ?? true);
const { engine, runtime } = await createNodeFaceEngine({ addOnDirectory: null });
const outcomes: Outcome[] = [];
const people = Array.from({ length: count }, (_, i) => first + i);
for await (const outcome of runCampaign(engine, { people, kinds: tried, ambientLux: levels })) {
  outcomes.push(outcome);
  const { person, kind, ambientLux, verdict, gain, explained } = outcome;
  const figures = gain === null ? '' : `gain ${gain.toFixed(4)}, explained ${explained?.toFixed(3)}`;
  console.error(`${person} ${kind} ${ambientLux} lx: ${verdict} ${figures}`);
}
engine.dispose();
runtime.dispose();

const of = (kind: Kind, lux: readonly number[]): Outcome[] =>
  outcomes.filter((outcome) => outcome.kind === kind && lux.includes(outcome.ambientLux));
const share = (hits: number, trials: number): string => {
  const [low, high] = exactInterval(hits, trials);
  return `${hits} of ${trials} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)} %)`;
};
const tally = (some: readonly Outcome[], verdict: string): string =>
  share(some.filter((outcome) => outcome.verdict.startsWith(verdict)).length, some.length);

console.log(`| | ${levels.map((lux) => `${lux} lx`).join(' | ')} |\n|---|${levels.map(() => '---').join('|')}|`);
for (const kind of tried) {
  const cells = levels.map((lux) => {
    const some = of(kind, [lux]);
    const n = (verdict: string): number => some.filter((outcome) => outcome.verdict.startsWith(verdict)).length;
    return `${n('answered')} / ${n('abstained')} / ${n('not-answered')}`;
  });
  console.log(`| ${kind} | ${cells.join(' | ')} |`);
}
console.log('answered / abstained / not answered\n');
for (const kind of tried) {
  const some = of(kind, separating);
  console.log(
    `${kind}, ${separating.join(', ')} lx: answered ${tally(some, 'answered')}, abstained ${tally(some, 'abstained')}, not answered ${tally(some, 'not-answered')}`,
  );
}
const bright = of('live', [2000]);
console.log(`live, 2000 lx: abstained ${tally(bright, 'abstained')}, not answered ${tally(bright, 'not-answered')}`);
const attacks = outcomes.filter(({ kind, ambientLux }) => kind !== 'live' && kind !== 'cut-out' && ambientLux < 2000);
console.log(
  `attacks but the cut-out, ${separating.join(', ')} lx: not refused ${share(attacks.filter(({ verdict }) => verdict !== 'not-answered').length, attacks.length)}`,
);
const { another, own } = answersToAnother(guesses);
console.log(
  `ideal answers to another sequence: not refused ${share(another, guesses)}; to this one: ${own} of ${Math.ceil(guesses / 10)}`,
);
