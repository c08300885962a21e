import type { MeasuredRoom, PassiveCalibration, ScorableLimits } from './passive-model.ts';
import type { EngineRecipe, FaceLimits } from './types.ts';

// Checked by `typecheck` only: engines and calibrations must give every number that decides an attempt.

type OptionalKey<T> = T extends unknown ? { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T] : never;
type HasNoOptionalKey<T> = [OptionalKey<T>] extends [never] ? true : false;

export const nothingIsOptional: [
  HasNoOptionalKey<EngineRecipe>,
  HasNoOptionalKey<FaceLimits>,
  HasNoOptionalKey<PassiveCalibration>,
  HasNoOptionalKey<MeasuredRoom>,
  HasNoOptionalKey<ScorableLimits>,
  HasNoOptionalKey<{ readonly control?: number }>,
] = [true, true, true, true, true, false];

declare const recipe: EngineRecipe;
declare const calibration: PassiveCalibration;
const { matchThreshold: _threshold, ...withoutThreshold } = recipe;
const { turnedMargin: _margin, ...withoutMargin } = recipe;
const { enrolmentLimits: _limits, ...withoutLimits } = recipe;
const { attackFrameAtMost: _band, ...withoutBand } = calibration;
const { photoAtLeast: _photo, ...withoutPhoto } = calibration;

// @ts-expect-error an engine without its threshold
export const noThreshold: EngineRecipe = withoutThreshold;
// @ts-expect-error an engine without the margin of turned faces
export const noMargin: EngineRecipe = withoutMargin;
// @ts-expect-error an engine without its limits of enrolment
export const noLimits: EngineRecipe = withoutLimits;
// @ts-expect-error a calibration without the band of attacks
export const noBand: PassiveCalibration = withoutBand;
// @ts-expect-error a calibration that says nothing of photos
export const noPhoto: PassiveCalibration = withoutPhoto;
