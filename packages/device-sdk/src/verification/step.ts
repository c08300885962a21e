import { estimateProgress } from './liveness-estimate.ts';
import { STANDARD_POLICY as policy } from './policy.ts';
import type { Verdict } from './result.ts';
import {
  type AttemptEffect,
  type AttemptEvent,
  type AttemptState,
  type Facts,
  type PausedState,
  type Prompt,
  type PromptHint,
  type StageState,
  type Step,
  ungathered,
} from './states.ts';
import { isLitDoor } from './witness.ts';

export const cameraUnproven = { outcome: 'LivenessFailed', reason: 'camera-unproven' } as const satisfies Verdict;

export const stay = (state: AttemptState): Step => ({ state, effects: [] });

/** Ends the attempt with a last prompt, so that a screen needs no second source. */
export function finish(facts: Facts | null, atMs: number, verdict: Verdict): Step {
  const prompt: Prompt = { key: 'finished', progress: 1, remainingMs: facts ? remaining(facts, atMs) : 0 };
  return {
    state: { name: 'finished', verdict, facts: facts && { ...facts, estimate: [], relief: [] }, finishedAtMs: atMs },
    effects: [
      { type: 'prompt', prompt },
      { type: 'finish', verdict },
    ],
  };
}

/** What a frame showed, for its prompt. */
interface Seen {
  readonly hint?: PromptHint | null;
  readonly yawDeg?: number;
  readonly passive?: number | null;
  readonly room?: number;
  /** Nobody has been in view for so long that the person is asked for. */
  readonly isEmpty?: boolean;
}

/** Enters or keeps a stage, with a prompt if it changed. */
export function proceed(
  state: StageState | PausedState,
  atMs: number,
  seen: Seen = {},
  effects: readonly AttemptEffect[] = [],
): Step {
  const stage = state.name === 'paused' ? state.under : state;
  const prompt = promptFor(state, atMs, seen);
  if (sameToThePerson(prompt, stage.facts.lastPrompt)) return { state, effects };
  const facts = { ...stage.facts, lastPrompt: prompt };
  const prompted: StageState = { ...stage, facts };
  return {
    state: state.name === 'paused' ? { ...state, under: prompted } : prompted,
    effects: [{ type: 'prompt', prompt }, ...effects],
  };
}

/** More than one face is in view: nothing advances until there is only one. */
export function pause(under: StageState, event: AttemptEvent, effects: readonly AttemptEffect[] = []): Step {
  // Frames from before and after a second face are not combined.
  const alone = 'comparisons' in under ? { ...under, comparisons: ungathered(under.comparisons) } : under;
  return proceed({ name: 'paused', under: alone }, event.atMs, {}, effects);
}

function sameToThePerson(a: Prompt, b: Prompt | null): boolean {
  if (b === null || a.key !== b.key || a.direction !== b.direction || a.light !== b.light) return false;
  return a.hint === b.hint && a.progress === b.progress;
}

function promptFor(state: StageState | PausedState, atMs: number, seen: Seen): Prompt {
  const stage = state.name === 'paused' ? state.under : state;
  const isLit = stage.name === 'light' || (stage.name === 'frontal' && stage.litSinceMs !== null);
  // The answer of the light holds for a face of one size: near but scored, it had better stay.
  const isMoot = seen.hint === 'step-back' && seen.passive !== null && isLitDoor(stage.facts);
  const hint = isMoot ? null : (seen.hint ?? witnessHint(stage.facts, seen));
  const common = {
    ...(hint === null ? {} : { hint }),
    progress: Math.floor(stageProgress(stage, atMs, seen.yawDeg ?? null) * 20) / 20,
    remainingMs: remaining(stage.facts, atMs),
  };
  if (state.name === 'paused') return { key: 'one-person-only', ...common };
  if (stage.name === 'turn') return { key: 'turn-head', direction: stage.facts.direction, ...common };
  if (stage.name === 'staff') return { key: 'staff-confirms', ...common };
  if (isLit) return { key: 'look-at-camera', light: true, ...common };
  if (stage.name === 'return') return { key: 'look-back', ...common };
  const key = seen.isEmpty === true ? 'step-into-view' : 'look-at-camera';
  return { key, ...(stage.facts.lightAsked ? { next: 'light' } : {}), ...common };
}

/** Where the room has to be the witness: more of it raises the evidence, and then stillness does. */
function witnessHint({ lack }: Facts, { room = 0 }: Seen): PromptHint | null {
  if (lack === null) return null;
  return room < policy.unattended.ampleRoom ? 'step-back' : 'hold-still';
}

/**
 * Each stage is a third; with the light and the turn, a quarter; staff have the rest. The frontal part fills with
 * scored frames, the light with time, the turn with the angle.
 */
function stageProgress(stage: StageState, atMs: number, yawDeg: number | null): number {
  const { facts } = stage;
  const stages = facts.lightAsked && facts.active !== 'light' ? 4 : 3;
  const before = stages - 3;
  switch (stage.name) {
    case 'frontal':
      return facts.passive === null ? 0 : estimateProgress(facts.estimate) / stages;
    case 'light':
      return (1 + Math.min(1, (atMs - (facts.lightEnteredAtMs ?? atMs)) / policy.light.usualMs)) / stages;
    case 'turn': {
      const turned = yawDeg === null ? 0 : towards(yawDeg, facts) / policy.turnYawDeg;
      return (before + 1 + Math.min(1, Math.max(0, turned))) / stages;
    }
    case 'staff':
      return (before + 1) / stages;
    case 'return':
      return (before + 2) / stages;
  }
}

/** Yaw in the requested direction: positive the right way, negative the wrong one. */
export function towards(yawDeg: number, { direction }: Pick<Facts, 'direction'>): number {
  return direction === 'left' ? yawDeg : -yawDeg;
}

function remaining({ startedAtMs }: Facts, atMs: number): number {
  return Math.max(0, startedAtMs + policy.windowMs - atMs);
}
