import { readPresenceSource } from '../build/presence-models.ts';
import { type BaseModelName, baseModelNames } from '../types.ts';

/** The base models that this checkout builds: all of them, once weights of «presence» are committed. */
export const builtModelNames: readonly BaseModelName[] = baseModelNames.filter(
  (name) => readPresenceSource() !== null || !name.startsWith('passive-'),
);
