import goldens from './goldens.json' with { type: 'json' };
import type { GoldenOutput, ModelName } from './types.ts';

/**
 * Golden outputs of each model, recorded from the original libraries and not from what this package compiles
 * (`apps/e2e/src/parity/record-goldens.ts`).
 */
export const goldenOutputs: Readonly<Record<ModelName, GoldenOutput>> = goldens;
