import { markdownTable } from '../../statistics/markdown.ts';
import { meanOf } from '../../statistics/summary.ts';
import type { HeldOutFace } from './held-out-faces.ts';

/** Scores of the same input by the model and by its teacher. */
export interface Pair {
  readonly own: number;
  readonly theirs: number;
}

/** The fused score that the calibration maps to the policy's bar. */
const bar = 0.6;

/** Pearson's correlation; NaN if one side is constant. */
export function correlationOf(pairs: readonly Pair[]): number {
  const [own, theirs] = [meanOf(pairs.map((pair) => pair.own)), meanOf(pairs.map((pair) => pair.theirs))];
  let [both, ofOwn, ofTheirs] = [0, 0, 0];
  for (const pair of pairs) {
    both += (pair.own - own) * (pair.theirs - theirs);
    ofOwn += (pair.own - own) ** 2;
    ofTheirs += (pair.theirs - theirs) ** 2;
  }
  return both / Math.sqrt(ofOwn * ofTheirs);
}

const shareOf = (pairs: readonly Pair[], is: (pair: Pair) => boolean): string =>
  pairs.length === 0 ? '–' : `${((100 * pairs.filter(is).length) / pairs.length).toFixed(1)} %`;

function rowOf(title: string, pairs: readonly Pair[]): string[] {
  const correlation = correlationOf(pairs);
  return [
    title,
    String(pairs.length),
    Number.isFinite(correlation) ? correlation.toFixed(3) : '–',
    shareOf(pairs, ({ own, theirs }) => own >= bar === theirs >= bar),
    shareOf(pairs, ({ own }) => own >= 0.5),
    shareOf(pairs, ({ theirs }) => theirs >= 0.5),
  ];
}

/**
 * Faces of pictures that were not used for training: all, those with room around them, those that a device would have
 * scored, and by source.
 */
export function agreementTable(faces: readonly HeldOutFace[]): string {
  const pairsOf = (is: (face: HeldOutFace) => boolean): Pair[] =>
    faces.filter(is).flatMap(({ scores: { presence, minifasnet } }) => {
      if (presence === undefined || minifasnet === undefined) return [];
      return [{ own: presence, theirs: minifasnet }];
    });
  const sources = [...new Set(faces.map(({ source }) => source))].sort();
  return markdownTable([
    ['faces', 'n', 'correlation', `same side of ${bar}`, 'presence ≥ 0.5', 'minifasnet ≥ 0.5'],
    rowOf(
      'every face',
      pairsOf(() => true),
    ),
    rowOf(
      'in surroundings (room ≥ 2)',
      pairsOf(({ room }) => room >= 2),
    ),
    rowOf(
      'less room',
      pairsOf(({ room }) => room < 2),
    ),
    rowOf(
      'that a device would have scored',
      pairsOf(({ isScored }) => isScored),
    ),
    ...sources.map((source) =>
      rowOf(
        `\`${source}\``,
        pairsOf((face) => face.source === source),
      ),
    ),
  ]);
}
