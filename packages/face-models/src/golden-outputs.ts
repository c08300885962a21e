import goldens from './goldens.json' with { type: 'json' };
import type { GoldenOutput, ModelName } from './types.ts';

const recorded: Readonly<Partial<Record<ModelName, GoldenOutput>>> = goldens;

/**
 * Golden outputs of a model, recorded from the original libraries rather than from this package
 * (`benchmarks/accuracy/parity/record-goldens.ts`).
 *
 * @throws Error if none were recorded
 */
export function goldenOf(name: ModelName): GoldenOutput {
  const golden = recorded[name];
  if (golden === undefined) throw new Error(`no golden outputs of ${name}: run record-goldens`);
  return golden;
}
