import { parseArgs } from 'node:util';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { clopperPearson95 } from '../../statistics/interval.ts';
import { keptIn } from '../kept.ts';
import { levels, type Outcome, outcomeOf, runCampaign, separating } from './campaign.ts';
import { answersToAnother, type Strength, strengths } from './ideal-answers.ts';
import { type Kind, kinds } from './trial.ts';

/**
 * The figures of docs/light-challenge.md. About 30 s of processor time per person. The judge was tuned on people 20 to
 * 35, 100 to 105 and 140 to 159, so figures come from 160 on, and those of the second sequence from 180 on.
 *
 * `--keep` takes a folder for the measurements: an interrupted run resumes there, and a run after a change of the judge
 * does not render again. Use another folder after a change of rendering or measuring.
 *
 * Usage: evaluate.ts [--people 20] [--from 160] [--guesses 1000] [--kinds live,print] [--lux 2000] [--keep FOLDER]
 * [--each]
 */
const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '20' },
    from: { type: 'string', default: '160' },
    /** Ideal answers to another sequence. */
    guesses: { type: 'string', default: '1000' },
    kinds: { type: 'string', default: kinds.join(',') },
    lux: { type: 'string', default: levels.join(',') },
    keep: { type: 'string' },
    /** Prints each challenge. */
    each: { type: 'boolean', default: false },
  },
});
const people = Array.from({ length: Number(values.people) }, (_, i) => Number(values.from) + i);
const tried = kinds.filter((kind) => values.kinds.split(',').includes(kind));
const lit = levels.filter((lux) => values.lux.split(',').includes(String(lux)));
const guesses = Number(values.guesses);

const known: Outcome[] = [];
const unknown: Outcome[] = [];
const { engine, runtime } = await createNodeFaceEngine({ addOnDirectory: null });
for await (const challenge of runCampaign(engine, { people, kinds: tried, lux: lit }, keptIn(values.keep ?? null))) {
  known.push(outcomeOf(challenge));
  unknown.push(outcomeOf(challenge, 'unknown'));
}
engine.dispose();
runtime.dispose();

type Verdict = 'answered' | 'abstained' | 'not-answered';
const verdicts: readonly Verdict[] = ['answered', 'abstained', 'not-answered'];
const of = (outcomes: readonly Outcome[], some: readonly Kind[], lux: readonly number[]): readonly Outcome[] =>
  outcomes.filter(({ kind, ambientLux }) => some.includes(kind) && lux.includes(ambientLux));
const count = (outcomes: readonly Outcome[], verdict: Verdict): number =>
  outcomes.filter((outcome) => outcome.verdict.startsWith(verdict)).length;
const share = (hits: number, trials: number): string => {
  if (trials === 0) return 'none tried';
  const [low, high] = clopperPearson95(hits, trials);
  return `${hits} of ${trials} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)} %)`;
};
const tell = (what: string, outcomes: readonly Outcome[]): void =>
  console.log(
    `${what}: ${verdicts.map((verdict) => `${verdict} ${share(count(outcomes, verdict), outcomes.length)}`).join(', ')}`,
  );
const row = (what: string, outcomes: readonly Outcome[], some: readonly Kind[]): void => {
  const cells = lit.map((lux) => verdicts.map((verdict) => count(of(outcomes, some, [lux]), verdict)).join(' / '));
  console.log(`| ${what} | ${cells.join(' | ')} |`);
};

if (values.each) {
  for (const { person, kind, ambientLux, sequences, verdict, gain, explained } of known) {
    const figures = gain === null ? '' : `gain ${gain.toFixed(4)}, explained ${explained?.toFixed(3)}`;
    console.log(
      `${person} ${kind} ${ambientLux} lx, ${sequences === 1 ? 'one sequence' : 'two sequences'}: ${verdict} ${figures}`,
    );
  }
}
console.log(`| | ${lit.map((lux) => `${lux} lx`).join(' | ')} |\n|---|${lit.map(() => '---').join('|')}|`);
for (const kind of tried) row(kind, known, [kind]);
if (tried.includes('live')) row('live, the screen unknown', unknown, ['live']);
console.log('answered / abstained / not answered\n');

/** Paper reflects the light like skin, so the cut-out is counted separately. */
const attacks = tried.filter((kind) => kind !== 'live' && kind !== 'cut-out');
for (const lux of [lit.filter((one) => separating.includes(one)), lit.filter((one) => !separating.includes(one))]) {
  if (lux.length === 0) continue;
  tell(`live, ${lux.join(', ')} lx`, of(known, ['live'], lux));
  tell(`live, the screen unknown, ${lux.join(', ')} lx`, of(unknown, ['live'], lux));
  tell(`attacks but the cut-out, ${lux.join(', ')} lx`, of(known, attacks, lux));
  tell(`the same, the screen unknown, ${lux.join(', ')} lx`, of(unknown, attacks, lux));
}
for (const strength of guesses > 0 ? (Object.keys(strengths) as Strength[]) : []) {
  const { another, own } = answersToAnother(guesses, strength);
  console.log(`ideal answers to another sequence, ${strength}: not refused ${share(another, guesses)}`);
  console.log(`ideal answers to the own, ${strength}: not refused ${own} of ${Math.ceil(guesses / 10)}`);
}
