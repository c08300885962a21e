import type { EvidenceFit, MeasuredRoom, PassiveCalibration, ScorableLimits } from './passive-model.ts';
import type { EngineRecipe, FaceLimits } from './types.ts';

// Checked by the compiler alone: engines and calibrations must give every number that decides an attempt.

type OptionalKey<T> = T extends unknown ? { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T] : never;
type HasNoOptionalKey<T> = [OptionalKey<T>] extends [never] ? true : false;

export const nothingIsOptional: [
  HasNoOptionalKey<EngineRecipe>,
  HasNoOptionalKey<FaceLimits>,
  HasNoOptionalKey<PassiveCalibration>,
  HasNoOptionalKey<EvidenceFit>,
  HasNoOptionalKey<MeasuredRoom>,
  HasNoOptionalKey<ScorableLimits>,
  HasNoOptionalKey<{ readonly control?: number }>,
] = [true, true, true, true, true, true, false];
