import type { Verdict } from '../result.ts';
import { calibrate, emptyEstimate, observe, outwardScore } from './liveness-estimate.ts';
import type { VerificationPolicy } from './policy.ts';
import {
  type AttemptEvent,
  type Comparisons,
  type EventOf,
  type Facts,
  type FrontalState,
  noComparisons,
  type PausedState,
  type ReturnState,
  type StageState,
  type StartingState,
  type StateOf,
  type Step,
  type TurnState,
} from './states.ts';
import { finish, proceed, stay, towards } from './step.ts';
import { conclude } from './verdicts.ts';

type Face = EventOf<'face'>;

/** The first thing seen opens the window; what it says then counts like any other. */
export function open<E extends AttemptEvent>(
  handle: (state: FrontalState, event: E, policy: VerificationPolicy) => Step,
) {
  return (state: StartingState, event: E, policy: VerificationPolicy): Step => {
    const facts: Facts = {
      direction: state.direction,
      passive: state.passive,
      startedAtMs: event.atMs,
      faceSeen: false,
      frontalSeen: false,
      everScored: false,
      estimate: emptyEstimate,
      turnEnteredAtMs: null,
      returnEnteredAtMs: null,
      lastPrompt: null,
    };
    return handle({ name: 'frontal', facts, comparisons: noComparisons }, event, policy);
  };
}

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

export function ignore(state: StateOf<'starting' | 'frontal' | 'turn' | 'return' | 'paused' | 'finished'>): Step {
  return stay(state);
}

export function frontalFace(state: FrontalState, event: Face, policy: VerificationPolicy): Step {
  const { facts: known, comparisons } = event.track === 'same' ? state : startAnew(state);
  const frontal = Math.abs(event.yawDeg) <= policy.frontalYawDeg;
  const seen = see({ ...known, frontalSeen: known.frontalSeen || frontal }, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict, policy);
  const next: FrontalState = { ...state, facts: seen.facts, comparisons };
  if (frontal && seen.comparable && due(comparisons, event.atMs, policy)) {
    return proceed({ ...next, comparisons: asked(comparisons, event.atMs) }, event.atMs, policy, event, [
      { type: 'compare' },
    ]);
  }
  return proceed(next, event.atMs, policy, event);
}

/** Whoever comes next is somebody new: what the last face proved is not his. */
export function frontalNoFace(state: FrontalState, event: EventOf<'no-face'>, policy: VerificationPolicy): Step {
  return proceed(startAnew(state), event.atMs, policy);
}

export function frontalSeveral(state: FrontalState, event: EventOf<'several-faces'>, policy: VerificationPolicy): Step {
  const kept = event.track === 'same' ? state : startAnew(state);
  return pause({ ...kept, facts: { ...kept.facts, faceSeen: true } }, event, policy);
}

export function frontalCompared(state: FrontalState, event: EventOf<'compared'>, policy: VerificationPolicy): Step {
  if (!state.comparisons.pending) return stay(state);
  if (event.matched) {
    const facts = { ...state.facts, turnEnteredAtMs: event.atMs };
    return proceed({ name: 'turn', facts, scoredFrames: 0, reached: 'not' }, event.atMs, policy);
  }
  const comparisons = missed(state.comparisons);
  if (comparisons.misses >= policy.maxFrontalMisses) {
    return finish(state.facts, event.atMs, { outcome: 'NoMatch', reason: 'below-threshold' }, policy);
  }
  return stay({ ...state, comparisons });
}

export function turnFace(state: TurnState, event: Face, policy: VerificationPolicy): Step {
  const seen = seeTheSame(state.facts, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict, policy);
  const { facts } = seen;
  const scoredFrames = state.scoredFrames + scoredOne(event, facts);
  const next: TurnState = { ...state, facts, scoredFrames };
  if (towards(event.yawDeg, facts) < policy.turnYawDeg) return proceed(next, event.atMs, policy, event);
  // Written so that a depth that is no number is none.
  if (!(event.parallax >= policy.minParallax)) {
    return proceed({ ...next, reached: 'without-parallax' }, event.atMs, policy, event);
  }
  if (!seen.live || !enoughScored(scoredFrames, facts, policy)) {
    return proceed({ ...next, reached: 'without-liveness' }, event.atMs, policy, event);
  }
  return proceed(
    {
      name: 'return',
      facts: { ...facts, returnEnteredAtMs: event.atMs },
      scoredFrames: 0,
      frontalUnscored: false,
      comparisons: noComparisons,
    },
    event.atMs,
    policy,
    event,
  );
}

/** A face that is gone after the first match could come back as another's. */
export function trackedFaceLost(
  state: TurnState | ReturnState,
  event: EventOf<'no-face'>,
  policy: VerificationPolicy,
): Step {
  return finish(state.facts, event.atMs, { outcome: 'ChallengeFailed', reason: 'face-lost' }, policy);
}

export function trackedSeveral(
  state: TurnState | ReturnState,
  event: EventOf<'several-faces'>,
  policy: VerificationPolicy,
): Step {
  if (event.track === 'same') return pause(state, event, policy);
  const reason = event.track === 'lost' ? 'face-lost' : 'face-swapped';
  return finish(state.facts, event.atMs, { outcome: 'ChallengeFailed', reason }, policy);
}

export function returnFace(state: ReturnState, event: Face, policy: VerificationPolicy): Step {
  const seen = seeTheSame(state.facts, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict, policy);
  const { facts } = seen;
  const scoredFrames = state.scoredFrames + scoredOne(event, facts);
  const next: ReturnState = { ...state, facts, scoredFrames };
  if (Math.abs(event.yawDeg) > policy.frontalYawDeg) return proceed(next, event.atMs, policy, event);
  if (!seen.comparable || !enoughScored(scoredFrames, facts, policy)) {
    return proceed({ ...next, frontalUnscored: true }, event.atMs, policy, event);
  }
  if (!due(state.comparisons, event.atMs, policy)) return proceed(next, event.atMs, policy, event);
  return proceed({ ...next, comparisons: asked(state.comparisons, event.atMs) }, event.atMs, policy, event, [
    { type: 'compare' },
  ]);
}

export function returnCompared(state: ReturnState, event: EventOf<'compared'>, policy: VerificationPolicy): Step {
  if (!state.comparisons.pending) return stay(state);
  if (event.matched) return finish(state.facts, event.atMs, { outcome: 'Match', reason: 'verified' }, policy);
  const comparisons = missed(state.comparisons);
  if (comparisons.misses >= policy.maxReturnMisses) {
    return finish(state.facts, event.atMs, { outcome: 'NoMatch', reason: 'second-below-threshold' }, policy);
  }
  return stay({ ...state, comparisons });
}

/** Alone again: the stage goes on with this frame. */
export function resumeFace(state: PausedState, event: Face, policy: VerificationPolicy): Step {
  return inStage(state.under, {
    frontal: (stage) => frontalFace(stage, event, policy),
    turn: (stage) => turnFace(stage, event, policy),
    return: (stage) => returnFace(stage, event, policy),
  });
}

export function resumeNoFace(state: PausedState, event: EventOf<'no-face'>, policy: VerificationPolicy): Step {
  return inStage(state.under, {
    frontal: (stage) => frontalNoFace(stage, event, policy),
    turn: (stage) => trackedFaceLost(stage, event, policy),
    return: (stage) => trackedFaceLost(stage, event, policy),
  });
}

export function stillSeveral(state: PausedState, event: EventOf<'several-faces'>, policy: VerificationPolicy): Step {
  return inStage(state.under, {
    frontal: (stage) => frontalSeveral(stage, event, policy),
    turn: (stage) => trackedSeveral(stage, event, policy),
    return: (stage) => trackedSeveral(stage, event, policy),
  });
}

/** A match found while two faces are in view could be the other one's. */
export function forgetComparison(state: PausedState): Step {
  const { under } = state;
  if (under.name === 'turn') return stay(state);
  return stay({ ...state, under: { ...under, comparisons: unasked(under.comparisons) } });
}

export function windowEnds(
  state: StageState | PausedState,
  event: EventOf<'tick' | 'ended'>,
  policy: VerificationPolicy,
): Step {
  if (event.type === 'tick') return stay(state);
  return concludeNow(state, event, policy);
}

/** The window is over, whatever the event was. */
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

type Seen =
  | { readonly facts: Facts; readonly live: boolean; readonly comparable: boolean }
  | { readonly facts: Facts; readonly verdict: Verdict };

/**
 * Passive liveness of one frame. `live`: this frame was scored and the running estimate holds. `comparable`: the frame holds by itself
 * too. Else a photo shown for the length of a comparison would live on the score of the face behind it.
 */
function see(facts: Facts, event: Face, policy: VerificationPolicy): Seen {
  const faceSeen = { ...facts, faceSeen: true };
  if (!facts.passive) return { facts: faceSeen, live: true, comparable: true };
  const estimate = observe(facts.estimate, { atMs: event.atMs, score: event.passive }, policy.passive);
  const next: Facts = { ...faceSeen, estimate, everScored: facts.everScored || event.passive !== null };
  if (event.passive === null) return { facts: next, live: false, comparable: false };
  if (event.passive <= policy.passive.attackFrameAtMost) {
    return { facts: next, verdict: { outcome: 'LivenessFailed', reason: 'attack-frame' } };
  }
  const outward = outwardScore(estimate, policy.passive);
  if (outward !== null && outward < policy.passive.minOutward) {
    return { facts: next, verdict: { outcome: 'LivenessFailed', reason: 'passive-below-threshold' } };
  }
  const ownHolds = calibrate(event.passive, policy.passive.calibration) >= policy.passive.minOutward;
  return { facts: next, live: outward !== null, comparable: outward !== null && ownHolds };
}

/** The same after the first match, where another face or a turn the wrong way ends the attempt. */
function seeTheSame(facts: Facts, event: Face, policy: VerificationPolicy): Seen {
  if (event.track === 'new') return { facts, verdict: { outcome: 'ChallengeFailed', reason: 'face-swapped' } };
  const seen = see(facts, event, policy);
  if ('verdict' in seen) return seen;
  if (towards(event.yawDeg, facts) > -policy.wrongWayYawDeg) return seen;
  return { facts: seen.facts, verdict: { outcome: 'ChallengeFailed', reason: 'wrong-way' } };
}

/** Another face: neither what the last one proved nor a comparison still on its way is this one's. */
const startAnew = (state: FrontalState): FrontalState => ({
  ...state,
  facts: { ...state.facts, estimate: emptyEstimate },
  comparisons: unasked(state.comparisons),
});

function pause(under: StageState, event: AttemptEvent, policy: VerificationPolicy): Step {
  return proceed({ name: 'paused', under }, event.atMs, policy);
}

function inStage(
  stage: StageState,
  by: {
    frontal: (stage: FrontalState) => Step;
    turn: (stage: TurnState) => Step;
    return: (stage: ReturnState) => Step;
  },
): Step {
  switch (stage.name) {
    case 'frontal':
      return by.frontal(stage);
    case 'turn':
      return by.turn(stage);
    case 'return':
      return by.return(stage);
  }
}

const scoredOne = (event: Face, facts: Facts): number => (facts.passive && event.passive !== null ? 1 : 0);
const enoughScored = (scoredFrames: number, facts: Facts, policy: VerificationPolicy): boolean =>
  !facts.passive || scoredFrames >= policy.passive.minScoredFramesPerStage;

const due = (c: Comparisons, atMs: number, policy: VerificationPolicy): boolean =>
  !c.pending && (c.lastAtMs === null || atMs - c.lastAtMs >= policy.compareIntervalMs);
const asked = (c: Comparisons, atMs: number): Comparisons => ({ ...c, pending: true, lastAtMs: atMs });
const unasked = (c: Comparisons): Comparisons => ({ ...c, pending: false });
const missed = (c: Comparisons): Comparisons => ({ ...c, pending: false, misses: c.misses + 1 });
