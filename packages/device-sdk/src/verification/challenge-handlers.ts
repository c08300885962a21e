import { shapeOf } from '@svc/face-engine';
import type { Verdict } from '../result.ts';
import {
  asked,
  compareFrontal,
  due,
  gathered,
  isTelling,
  isTurned,
  missed,
  settledWith,
  unasked,
} from './comparisons.ts';
import { addChallengeFrame, addTrackedFrame, enoughScored, type Face, scoredCount } from './face-facts.ts';
import type { VerificationPolicy } from './policy.ts';
import { enterReturn } from './staff-handlers.ts';
import type { AttemptEffect, EventOf, Facts, LightState, ReturnState, StaffState, Step, TurnState } from './states.ts';
import { finish, pause, proceed, stay, towards } from './step.ts';
import { afterMisses } from './verdicts.ts';

const compareTurned: readonly AttemptEffect[] = [{ type: 'compare', pose: 'turned', probe: 'frame' }];

/**
 * The facts with this frame's shape: only a face turned in the requested direction, not too far to see the far eye, is
 * measured.
 */
export function collectRelief(facts: Facts, event: Face, { relief: policy, turned }: VerificationPolicy): Facts {
  const { relief } = event;
  const yawDeg = towards(event.yawDeg, facts);
  if (relief === null || !(relief.agreement >= policy.minAgreement)) return facts;
  if (!(yawDeg >= policy.fromYawDeg && yawDeg <= turned.untilYawDeg)) return facts;
  return { ...facts, relief: [...facts.relief, relief] };
}

/**
 * The frame that completes the turn must itself be of the person: depth and identity come from one picture. The face is
 * also compared on the way, so that it cannot be replaced for a while.
 */
export function turnFace(state: TurnState, event: Face, policy: VerificationPolicy): Step {
  const seen = addChallengeFrame(state.facts, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict, policy);
  const { live } = seen;
  const facts = collectRelief(seen.facts, event, policy);
  const scoredFrames = state.scoredFrames + scoredCount(event, facts);
  const far = towards(event.yawDeg, facts) >= policy.turnYawDeg;
  const scored = live && enoughScored(scoredFrames, facts, policy);
  const reached = far ? reachedBy(event, facts, scored, policy) : state.reached;
  const completes = far && reached === 'uncompared';
  const next: TurnState = { ...state, facts, scoredFrames, reached };
  // The first frame that would complete the turn does not wait for the interval: a head rests there only briefly.
  const now = completes && !state.asked.completes ? !state.turned.pending : due(state.turned, event.atMs, policy);
  const telling = isTelling(event, facts, policy);
  if (!now || !live || !(completes || (telling && isTurned(event, facts, policy)))) {
    return proceed(next, event.atMs, policy, event);
  }
  const asking: TurnState = { ...next, turned: asked(state.turned, event.atMs), asked: { completes, telling } };
  return proceed(asking, event.atMs, policy, event, compareTurned);
}

function reachedBy(event: Face, facts: Facts, scored: boolean, policy: VerificationPolicy): TurnState['reached'] {
  // Written so that NaN fails.
  if (!(event.parallax >= policy.minParallax)) return 'without-parallax';
  if (!(event.aspect >= policy.minAspectKept * (facts.frontalAspect ?? Number.NaN))) return 'narrowed';
  const shape = shapeOf(facts.relief, policy.relief);
  if (shape !== 'head') return shape === 'flat' ? 'without-parallax' : 'narrowed';
  return scored ? 'uncompared' : 'without-liveness';
}

export function turnCompared(state: TurnState, event: EventOf<'compared'>, policy: VerificationPolicy): Step {
  if (!state.turned.pending) return stay(state);
  const { facts, asked } = state;
  if (!event.matched) {
    return asked.telling ? turnedMiss(state, event, policy) : stay({ ...state, turned: unasked(state.turned) });
  }
  const turned = unasked(state.turned);
  if (!asked.completes) return stay({ ...state, turned });
  return enterReturn(facts, turned, event.atMs, policy);
}

/** A turned face that is not the person's. */
function turnedMiss(state: TurnState | ReturnState, event: EventOf<'compared'>, policy: VerificationPolicy): Step {
  const turned = missed(state.turned);
  if (turned.misses < policy.turned.maxMisses) return stay({ ...state, turned });
  return finish(state.facts, event.atMs, failedAs(state, 'face-swapped'), policy);
}

export function returnFace(state: ReturnState, event: Face, policy: VerificationPolicy): Step {
  const addFrame = state.facts.active === 'head-turn' ? addChallengeFrame : addTrackedFrame;
  const seen = addFrame(state.facts, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, afterMisses(state, seen.verdict), policy);
  const facts = collectRelief(seen.facts, event, policy);
  const scoredFrames = state.scoredFrames + scoredCount(event, facts);
  const comparisons = settledWith(state.comparisons, event, policy);
  const next: ReturnState = { ...state, facts, scoredFrames, comparisons };
  if (Math.abs(event.yawDeg) > policy.frontalYawDeg) return comingBack(next, event, seen.live, policy);
  if (!seen.comparable || !enoughScored(scoredFrames, facts, policy)) {
    return proceed({ ...next, frontalUnscored: true }, event.atMs, policy, event);
  }
  if (state.turned.pending || !due(comparisons, event.atMs, policy)) {
    return proceed(next, event.atMs, policy, event);
  }
  const asking: ReturnState = { ...next, comparisons: gathered(comparisons, event.atMs) };
  return proceed(asking, event.atMs, policy, event, compareFrontal(comparisons));
}

/** A different face on the way back could be swapped again for the second match. */
function comingBack(state: ReturnState, event: Face, live: boolean, policy: VerificationPolicy): Step {
  const { facts, comparisons, turned } = state;
  const asks = live && isTurned(event, facts, policy) && isTelling(event, facts, policy);
  if (!asks || comparisons.pending || !due(turned, event.atMs, policy)) {
    return proceed(state, event.atMs, policy, event);
  }
  return proceed({ ...state, turned: asked(turned, event.atMs) }, event.atMs, policy, event, compareTurned);
}

export function returnCompared(state: ReturnState, event: EventOf<'compared'>, policy: VerificationPolicy): Step {
  if (state.turned.pending) {
    if (!event.matched) return turnedMiss(state, event, policy);
    return stay({ ...state, turned: unasked(state.turned) });
  }
  if (!state.comparisons.pending) return stay(state);
  if (event.matched) return finish(state.facts, event.atMs, secondMatch(state.facts, policy), policy);
  const comparisons = missed(state.comparisons);
  const after = { ...state, comparisons };
  if (comparisons.misses < policy.maxReturnMisses) return stay(after);
  return finish(state.facts, event.atMs, { outcome: 'NoMatch', reason: 'second-below-threshold' }, policy);
}

/** After the turn, or the light instead of it. Frames of the way back count for the shape too. */
function secondMatch(facts: Facts, policy: VerificationPolicy): Verdict {
  if (facts.active === 'light') return litInstead(facts);
  const shape = shapeOf(facts.relief, policy.relief);
  if (shape === 'head') return { outcome: 'Match', reason: 'verified' };
  return { outcome: 'ChallengeFailed', reason: shape === 'flat' ? 'no-parallax' : 'narrowed' };
}

function litInstead({ light }: Facts): Verdict {
  if (light?.outcome === 'answered') return { outcome: 'Match', reason: 'verified-by-light' };
  return { outcome: 'LivenessFailed', reason: 'light-not-answered' };
}

/** A face that is lost after the first match could return as another. */
export function trackedFaceLost(
  state: LightState | TurnState | StaffState | ReturnState,
  event: EventOf<'no-face'>,
  policy: VerificationPolicy,
): Step {
  return finish(state.facts, event.atMs, failedAs(state, 'face-lost'), policy);
}

export function trackedSeveral(
  state: LightState | TurnState | StaffState | ReturnState,
  event: EventOf<'several-faces'>,
  policy: VerificationPolicy,
): Step {
  if (event.track === 'same') return pause(state, event, policy);
  return finish(
    state.facts,
    event.atMs,
    failedAs(state, event.track === 'lost' ? 'face-lost' : 'face-swapped'),
    policy,
  );
}

const failedAs = (
  state: LightState | TurnState | StaffState | ReturnState,
  reason: 'face-lost' | 'face-swapped',
): Verdict => afterMisses(state, { outcome: 'ChallengeFailed', reason });
