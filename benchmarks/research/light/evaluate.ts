import type { Evaluation } from '../main.ts';
import { markdownTable } from '../markdown.ts';
import { clopperPearson95 } from '../rates.ts';
import { levels, type Outcome, outcomeOf, runCampaign, separating } from './campaign.ts';
import { type Kind, kinds } from './trial.ts';

const verdicts = ['answered', 'abstained', 'not-answered'] as const;

const count = (outcomes: readonly Outcome[], verdict: string): number =>
  outcomes.filter((outcome) => outcome.verdict.startsWith(verdict)).length;

function share(hits: number, trials: number): string {
  if (trials === 0) return 'none tried';
  const [low, high] = clopperPearson95(hits, trials);
  return `${hits} of ${trials} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)} %)`;
}

/**
 * The figures of docs/internals/light-challenge.md. About 30 s of processor time per person. The judge was tuned on
 * people 20 to 35, 100 to 105 and 140 to 159, so figures come from 160 on, and those of the second sequence from 180
 * on.
 *
 * `keep` names a folder for the measurements: an interrupted run resumes there, and a run after a change of the judge
 * does not render again. Use another folder after a change of rendering or measuring.
 */
export const evaluation: Evaluation = {
  options: { people: '20', from: '160', lux: levels.join(','), keep: '' },
  addOns: [],
  async run({ engine }, options) {
    const people = Array.from({ length: Number(options.people) }, (_, i) => Number(options.from) + i);
    const lit = levels.filter((lux) => options.lux?.split(',').includes(String(lux)));
    const known: Outcome[] = [];
    const unknown: Outcome[] = [];
    for await (const challenge of runCampaign(engine, { people, kinds, lux: lit }, options.keep || null)) {
      known.push(outcomeOf(challenge));
      unknown.push(outcomeOf(challenge, 'unknown'));
    }

    const of = (outcomes: readonly Outcome[], some: readonly Kind[], lux: readonly number[]): readonly Outcome[] =>
      outcomes.filter(({ kind, ambientLux }) => some.includes(kind) && lux.includes(ambientLux));
    const row = (what: string, outcomes: readonly Outcome[], some: readonly Kind[]) => [
      what,
      ...lit.map((lux) => verdicts.map((verdict) => count(of(outcomes, some, [lux]), verdict)).join(' / ')),
    ];
    const told = (what: string, outcomes: readonly Outcome[]): string =>
      `${what}: ${verdicts.map((verdict) => `${verdict} ${share(count(outcomes, verdict), outcomes.length)}`).join(', ')}`;
    /** Paper reflects the light like skin, so the cut-out is counted separately. */
    const attacks = kinds.filter((kind) => kind !== 'live' && kind !== 'cut-out');
    const byLight = [
      lit.filter((one) => separating.includes(one)),
      lit.filter((one) => !separating.includes(one)),
    ].filter((lux) => lux.length > 0);
    const lines = [
      markdownTable([
        ['', ...lit.map((lux) => `${lux} lx`)],
        ...kinds.map((kind) => row(kind, known, [kind])),
        row('live, the screen unknown', unknown, ['live']),
      ]),
      'answered / abstained / not answered',
      '',
      ...byLight.flatMap((lux) => [
        told(`live, ${lux.join(', ')} lx`, of(known, ['live'], lux)),
        told(`live, the screen unknown, ${lux.join(', ')} lx`, of(unknown, ['live'], lux)),
        told(`attacks but the cut-out, ${lux.join(', ')} lx`, of(known, attacks, lux)),
        told(`the same, the screen unknown, ${lux.join(', ')} lx`, of(unknown, attacks, lux)),
      ]),
    ];
    return { markdown: lines.join('\n') };
  },
};
