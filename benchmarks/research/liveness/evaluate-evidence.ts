import {
  type EvidenceFeature,
  type EvidenceFit,
  evidenceFeatures,
  evidenceOf,
  minifasnetCalibration,
  openPassiveNetworks,
  type PassiveReading,
} from '@svc/face-engine';
import { meanOf, median, quantile, rankQuantile, shareAbove } from '../../inputs/summary.ts';
import type { Evaluation } from '../main.ts';
import { markdownTable } from '../markdown.ts';
import { areaUnderRoc, scoreSets } from '../rates.ts';
import { type Look, looksOf, portraitLooks, readerOf } from './evidence-frames.ts';

type Scorer = (look: Look) => (reading: PassiveReading) => number;

const featureNames: readonly EvidenceFeature[] = ['v2', 'v1se', 'v2Near', 'v1seNear'];
const folds = 5;
/** Of the fit: penalty of weights, size and number of its steps. */
const [ridge, rate, rounds] = [0.004, 0.1, 3_000] as const;
/** Shares of live frames that the threshold of a table loses, and of people who may be surely an attack. */
const [lost, refused] = [0.05, 0.01] as const;

const isLive = ({ kind }: Look): boolean => kind === 'live';
const { comfortableFrom } = minifasnetCalibration.room;
const isNear = ({ readings }: Look): boolean => meanOf(readings.map(({ room }) => room)) < comfortableFrom;
const groupOf = (look: Look): string => `${look.kind}, ${isNear(look) ? 'near' : 'far'}`;
const fused = ({ v2, v1se }: PassiveReading): number => (v2[1] + v1se[1]) / 2;
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** Logistic regression with a small ridge, by gradient descent. */
function fitted(looks: readonly Look[]): Pick<EvidenceFit, 'bias' | 'weights'> {
  const frames = looks.flatMap((look) =>
    look.readings.map((reading) => {
      const features = evidenceFeatures(reading);
      return { input: [1, ...featureNames.map((name) => features[name])], target: isLive(look) ? 1 : 0 };
    }),
  );
  const found = new Array<number>(featureNames.length + 1).fill(0);
  for (let round = 0; round < rounds; round++) {
    const slope = found.map((value, i) => (i === 0 ? 0 : ridge * value));
    for (const { input, target } of frames) {
      const p = 1 / (1 + Math.exp(-input.reduce((sum, value, i) => sum + value * (found[i] ?? 0), 0)));
      for (const [i, value] of input.entries()) slope[i] = (slope[i] ?? 0) + ((p - target) * value) / frames.length;
    }
    for (const [i, step] of slope.entries()) found[i] = (found[i] ?? 0) - rate * step;
  }
  const [bias = 0, v2 = 0, v1se = 0, v2Near = 0, v1seNear = 0] = found.map((value) => Number(value.toFixed(2)));
  return { bias, weights: { v2, v1se, v2Near, v1seNear } };
}

/** Scores each person by a fit on the people of the other folds. */
function heldOut(looks: readonly Look[]): Scorer {
  const fits = Array.from({ length: folds }, (_, fold) =>
    fitted(looks.filter(({ person }) => person % folds !== fold)),
  );
  return ({ person }) => {
    const fit = { ...(fits[person % folds] ?? fitted(looks)), surelyLive: 1, surelyAttack: 0 };
    return (reading) => evidenceOf(reading, fit);
  };
}

const rooms = ['1.3–2', '1.3–1.65', '1.65–2', '2–4', '2–2.6', '2.6–4'] as const;
const attacks = {
  'all screens': ({ kind }: Look) => kind !== 'live' && kind !== 'print',
  'rimless screens': ({ kind }: Look) => kind === 'rimless',
} as const;

/** AUC, and APCER at the threshold that loses 5 % of the live ones, of frames with this room. */
function separation(looks: readonly Look[], isAttack: (look: Look) => boolean, scorer: Scorer, room: string): string {
  const [from = 0, to = 0] = room.split('–').map(Number);
  const of = (kind: (look: Look) => boolean) =>
    looks
      .filter(kind)
      .flatMap((look) => look.readings.filter((seen) => seen.room >= from && seen.room < to).map(scorer(look)));
  const [live, shown] = [of(isLive), of(isAttack)];
  const area = areaUnderRoc(scoreSets(live, shown)) ?? Number.NaN;
  return `${area.toFixed(3)}, ${percent(shareAbove(shown, rankQuantile(live, lost)))} (${live.length}, ${shown.length})`;
}

const meansOf = (looks: readonly Look[], scorer: Scorer): number[] =>
  looks.map((look) => meanOf(look.readings.map(scorer(look))));

const numbersOf = ({ weights, ...others }: EvidenceFit): Readonly<Record<string, number>> => ({
  ...others,
  ...weights,
});

/**
 * Refits the evidence and prints every number beside the shipped one. `keep` names a folder for what was read of
 * rendered people, from which an interrupted run goes on.
 */
export const evaluation: Evaluation = {
  options: { people: '60', from: '18007', keep: '' },
  addOns: ['minifasnet'],
  needsAddOns: true,
  async run({ engine, runtime, bundle }, options) {
    const networks = await openPassiveNetworks({ runtime, bundle });
    const read = readerOf(engine, networks);
    const looks = await looksOf(Number(options.people), Number(options.from), options.keep || null, read);
    const portraits = await portraitLooks(read);
    networks.dispose();

    const crossed = heldOut(looks);
    const far = looks.filter((look) => groupOf(look) === 'live, far');
    const fit: EvidenceFit = {
      ...fitted(looks),
      surelyLive: Number(median(meansOf(far, crossed)).toFixed(2)),
      surelyAttack: Math.floor(100 * quantile(meansOf(looks.filter(isLive), crossed), refused)) / 100,
    };
    const scorers: Readonly<Record<string, Scorer>> = {
      'mean of both': () => fused,
      'V2 alone': () => (reading) => reading.v2[1],
      'V1SE alone': () => (reading) => reading.v1se[1],
      'evidence, people held out': crossed,
    };
    const judged = (
      group: string,
      some: readonly Look[],
      scorer: Scorer = () => (reading) => evidenceOf(reading, fit),
    ) => {
      const means = meansOf(some, scorer);
      const surelyAttacks = means.filter((mean) => mean <= fit.surelyAttack).length / means.length;
      return [group, `${means.length}`, percent(shareAbove(means, fit.surelyLive)), percent(surelyAttacks)];
    };
    const { evidence } = minifasnetCalibration;
    const shipped = evidence === null ? {} : numbersOf(evidence);
    const groups = [...new Set(looks.map(groupOf))].sort();
    const tables = [
      [
        ['AUC, APCER (frames)', ...Object.keys(scorers)],
        ...Object.entries(attacks).flatMap(([name, isAttack]) =>
          rooms.map((room) => [
            `${name}, room ${room}`,
            ...Object.values(scorers).map((scorer) => separation(looks, isAttack, scorer, room)),
          ]),
        ),
      ],
      [
        ['means of two frames', 'of', 'surely live', 'surely an attack'],
        ...groups.map((group) => {
          const some = looks.filter((look) => groupOf(look) === group);
          return judged(group, some, crossed);
        }),
        judged('portraits', portraits),
        judged(
          'of those, which score 0.6',
          portraits.filter(({ readings }) => readings.every((reading) => fused(reading) >= 0.6)),
        ),
      ],
      [
        ['', 'found', 'shipped'],
        ...Object.entries(numbersOf(fit)).map(([name, value]) => [name, `${value}`, `${shipped[name]}`]),
      ],
    ];
    return { markdown: tables.map((rows) => markdownTable(rows)).join('\n\n') };
  },
};
