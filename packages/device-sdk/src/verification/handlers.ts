import { returnFace, trackedFaceLost, trackedSeveral, turnFace } from './challenge-handlers.ts';
import { compareFrontal, due, gathered, missed, settledWith, unasked } from './comparisons.ts';
import { addFrame, type Face } from './face-facts.ts';
import { afterFirstMatch, resumeLight } from './light-handlers.ts';
import { emptyEstimate } from './liveness-estimate.ts';
import type { VerificationPolicy } from './policy.ts';
import { staffFace } from './staff-handlers.ts';
import {
  type AttemptEvent,
  type EventOf,
  type Facts,
  type FrontalState,
  type LightState,
  noComparisons,
  type PausedState,
  type ReturnState,
  type StaffState,
  type StageState,
  type StartingState,
  type StateOf,
  type Step,
  type TurnState,
  ungathered,
} from './states.ts';
import { finish, pause, proceed, stay } from './step.ts';
import { conclude } from './verdicts.ts';

/** The first frame opens the window, and is then handled like any other. */
export function open<E extends AttemptEvent>(
  handle: (state: FrontalState, event: E, policy: VerificationPolicy) => Step,
) {
  return (state: StartingState, event: E, policy: VerificationPolicy): Step => {
    const facts: Facts = {
      active: state.active,
      direction: state.direction,
      passive: state.passive,
      lightAsked: state.lightAsked,
      startedAtMs: event.atMs,
      faceSeenAtMs: null,
      frontalSeen: false,
      everScored: false,
      estimate: emptyEstimate,
      frontalAspect: null,
      relief: [],
      lightEnteredAtMs: null,
      light: null,
      turnEnteredAtMs: null,
      returnEnteredAtMs: null,
      lastPrompt: null,
    };
    return handle({ name: 'frontal', facts, comparisons: noComparisons }, event, policy);
  };
}

/** The ten seconds start here, however long the engine takes for this frame. */
export const firstFrame = open((state: FrontalState, event: EventOf<'frame'>, policy) =>
  proceed(state, event.atMs, policy),
);

export function awaitFirstFrame(state: StartingState, event: EventOf<'tick'>, policy: VerificationPolicy): Step {
  if (event.atMs < policy.firstFrameTimeoutMs) return stay(state);
  return finish(null, event.atMs, { outcome: 'NoFace', reason: 'no-frames' }, policy);
}

export function neverStarted(_state: StartingState, event: EventOf<'ended'>, policy: VerificationPolicy): Step {
  return finish(null, event.atMs, { outcome: 'NoFace', reason: 'no-frames' }, policy);
}

export function startFailed(_state: StartingState, event: EventOf<'failed'>, policy: VerificationPolicy): Step {
  return finish(null, event.atMs, { outcome: 'NoFace', reason: event.cause }, policy);
}

export function startCancelled(_state: StartingState, event: EventOf<'cancelled'>, policy: VerificationPolicy): Step {
  return finish(null, event.atMs, { outcome: 'NoFace', reason: 'cancelled' }, policy);
}

export function ignore(
  state: StateOf<'starting' | 'frontal' | 'light' | 'turn' | 'staff' | 'return' | 'paused' | 'finished'>,
): Step {
  return stay(state);
}

export function frontalFace(state: FrontalState, event: Face, policy: VerificationPolicy): Step {
  const { facts: known, comparisons: before } = event.track === 'same' ? state : startAnew(state);
  const comparisons = settledWith(before, event, policy);
  const frontal = Math.abs(event.yawDeg) <= policy.frontalYawDeg;
  const seen = addFrame({ ...known, frontalSeen: known.frontalSeen || frontal }, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict, policy);
  const next: FrontalState = { ...state, facts: seen.facts, comparisons };
  if (frontal && seen.comparable && due(comparisons, event.atMs, policy)) {
    const facts = { ...seen.facts, frontalAspect: event.aspect };
    const asking: FrontalState = { ...next, facts, comparisons: gathered(comparisons, event.atMs) };
    return proceed(asking, event.atMs, policy, event, compareFrontal(comparisons));
  }
  return proceed(next, event.atMs, policy, event);
}

/**
 * The next face counts as a new person: the last one's evidence does not apply. Only frames that were looked at count
 * as an empty view, so that a slow engine does not end the attempt of a person who stands there.
 */
export function frontalNoFace(state: FrontalState, event: EventOf<'no-face'>, policy: VerificationPolicy): Step {
  const { faceSeenAtMs, startedAtMs } = state.facts;
  const emptyMs = event.atMs - (faceSeenAtMs ?? startedAtMs);
  if (faceSeenAtMs === null && emptyMs >= policy.emptyView.endAfterMs) {
    return finish(state.facts, event.atMs, { outcome: 'NoFace', reason: 'no-face' }, policy);
  }
  return proceed(startAnew(state), event.atMs, policy, { isEmpty: emptyMs >= policy.emptyView.askAfterMs });
}

export function frontalSeveral(state: FrontalState, event: EventOf<'several-faces'>, policy: VerificationPolicy): Step {
  const kept = event.track === 'same' ? state : startAnew(state);
  return pause({ ...kept, facts: { ...kept.facts, faceSeenAtMs: event.atMs } }, event, policy);
}

export function frontalCompared(state: FrontalState, event: EventOf<'compared'>, policy: VerificationPolicy): Step {
  if (!state.comparisons.pending) return stay(state);
  if (event.matched) return afterFirstMatch(state.facts, event.atMs, policy);
  const comparisons = missed(state.comparisons);
  if (comparisons.misses >= policy.maxFrontalMisses) {
    return finish(state.facts, event.atMs, { outcome: 'NoMatch', reason: 'below-threshold' }, policy);
  }
  return stay({ ...state, comparisons });
}

/** One face again: the stage continues with this frame. */
export function resumeFace(state: PausedState, event: Face, policy: VerificationPolicy): Step {
  return inStage(state.under, {
    frontal: (stage) => frontalFace(stage, event, policy),
    light: (stage) => resumeLight(stage, event, policy),
    turn: (stage) => turnFace(stage, event, policy),
    staff: (stage) => staffFace(stage, event, policy),
    return: (stage) => returnFace(stage, event, policy),
  });
}

export function resumeNoFace(state: PausedState, event: EventOf<'no-face'>, policy: VerificationPolicy): Step {
  return inStage(state.under, {
    frontal: (stage) => frontalNoFace(stage, event, policy),
    light: (stage) => trackedFaceLost(stage, event, policy),
    turn: (stage) => trackedFaceLost(stage, event, policy),
    staff: (stage) => trackedFaceLost(stage, event, policy),
    return: (stage) => trackedFaceLost(stage, event, policy),
  });
}

export function stillSeveral(state: PausedState, event: EventOf<'several-faces'>, policy: VerificationPolicy): Step {
  return inStage(state.under, {
    frontal: (stage) => frontalSeveral(stage, event, policy),
    light: (stage) => trackedSeveral(stage, event, policy),
    turn: (stage) => trackedSeveral(stage, event, policy),
    staff: (stage) => trackedSeveral(stage, event, policy),
    return: (stage) => trackedSeveral(stage, event, policy),
  });
}

/** A match during a pause could be the other person's. */
export function forgetComparison(state: PausedState): Step {
  return stay({
    ...state,
    under: inStage<StageState>(state.under, {
      frontal: (stage) => ({ ...stage, comparisons: unasked(stage.comparisons) }),
      light: (stage) => ({ ...stage, comparisons: unasked(stage.comparisons) }),
      turn: (stage) => ({ ...stage, turned: unasked(stage.turned) }),
      staff: (stage) => ({ ...stage, comparisons: unasked(stage.comparisons) }),
      return: (stage) => ({ ...stage, comparisons: unasked(stage.comparisons), turned: unasked(stage.turned) }),
    }),
  });
}

export function windowEnds(
  state: StageState | PausedState,
  event: EventOf<'tick' | 'ended'>,
  policy: VerificationPolicy,
): Step {
  if (event.type === 'tick') return stay(state);
  return concludeNow(state, event, policy);
}

/** The window is over, whatever the event. */
export function concludeNow(state: StageState | PausedState, event: AttemptEvent, policy: VerificationPolicy): Step {
  const facts = state.name === 'paused' ? state.under.facts : state.facts;
  return finish(facts, Math.min(event.atMs, facts.startedAtMs + policy.windowMs), conclude(state), policy);
}

export function attemptFailed(
  state: StageState | PausedState,
  event: EventOf<'failed' | 'cancelled'>,
  policy: VerificationPolicy,
): Step {
  const stage = state.name === 'paused' ? state.under : state;
  const reason = event.type === 'failed' ? event.cause : 'cancelled';
  const outcome = stage.name === 'frontal' ? 'NoFace' : 'ChallengeFailed';
  return finish(stage.facts, event.atMs, { outcome, reason }, policy);
}

/** Another face: earlier evidence and a pending comparison do not apply to it. */
const startAnew = (state: FrontalState): FrontalState => ({
  ...state,
  facts: { ...state.facts, estimate: emptyEstimate },
  comparisons: ungathered(unasked(state.comparisons)),
});

function inStage<T>(
  stage: StageState,
  by: {
    frontal: (stage: FrontalState) => T;
    light: (stage: LightState) => T;
    turn: (stage: TurnState) => T;
    staff: (stage: StaffState) => T;
    return: (stage: ReturnState) => T;
  },
): T {
  switch (stage.name) {
    case 'frontal':
      return by.frontal(stage);
    case 'light':
      return by.light(stage);
    case 'turn':
      return by.turn(stage);
    case 'staff':
      return by.staff(stage);
    case 'return':
      return by.return(stage);
  }
}
