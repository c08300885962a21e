/** Attempts without a device, with scores and tunable policy, for measuring accuracy. Not used by devices. */
export { FusedProbe, probeWeight } from './attempt/fused-probe.ts';
export { type AttemptInput, type AttemptReport, runAttempt } from './attempt/run-attempt.ts';
export { type WatchedFrame, watchLiveness } from './attempt/watch-liveness.ts';
export { type LinearColour, restingLight } from './light/colours.ts';
export type { EarlierLight } from './light/judge.ts';
export { judgeLight, type LightJudgement, type LightVerdict } from './light/judge.ts';
export {
  type Contrast,
  type ContrastPlace,
  type LightRegion,
  type LightSample,
  measureLight,
} from './light/measure.ts';
export { type ShownSequence, type ShownStep, shownSteps } from './light/response.ts';
export { drawLightSequence, type LightSequence, type LightStep, sequenceMs } from './light/sequence.ts';
export { calibrate } from './verification/liveness-estimate.ts';
export { openAttempt, transition } from './verification/machine.ts';
export { STANDARD_POLICY } from './verification/policy.ts';
export { protectionsOf } from './verification/result.ts';
export type { AttemptEffect, AttemptEvent, AttemptState } from './verification/states.ts';
