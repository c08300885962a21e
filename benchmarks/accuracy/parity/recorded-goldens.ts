import { readFileSync } from 'node:fs';
import type { GoldenOutput, ModelEntry } from '@svc/face-models';
import { miniFasNetInput } from './goldens.ts';

const file = new URL('../../../packages/face-models/src/goldens.json', import.meta.url);
const names = ['minifasnet-v2', 'minifasnet-v1se'] as const;

interface Recorded {
  /** What its picture is drawn by. */
  readonly entry: Pick<ModelEntry, 'name' | 'inputs' | 'golden'>;
  /** Print, live, replay. */
  readonly probabilities: readonly number[];
}

/** What is recorded of MiniFASNet's networks. */
export function miniFasNetGoldens(): Readonly<Record<(typeof names)[number], Recorded>> {
  const goldens = JSON.parse(readFileSync(file, 'utf8')) as Record<(typeof names)[number], GoldenOutput>;
  const of = (name: (typeof names)[number]): Recorded => ({
    entry: { name, inputs: [miniFasNetInput], golden: goldens[name] },
    probabilities: goldens[name].outputs[0]?.values ?? [],
  });
  return { 'minifasnet-v2': of('minifasnet-v2'), 'minifasnet-v1se': of('minifasnet-v1se') };
}
