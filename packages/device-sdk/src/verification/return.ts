import { shapeOf } from '@svc/face-engine';
import {
  addChallengeFrame,
  addTrackedFrame,
  asked,
  collectRelief,
  compareFrontal,
  compareTurned,
  doesMissCount,
  due,
  enoughScored,
  type Face,
  gathered,
  isFrontal,
  isTurned,
  missed,
  scoredCount,
  settledWith,
  unasked,
} from './frame-facts.ts';
import type { VerificationPolicy } from './policy.ts';
import type { Verdict } from './result.ts';
import { type Comparisons, type EventOf, type Facts, noComparisons, type ReturnState, type Step } from './states.ts';
import { finish, proceed, stay } from './step.ts';
import { afterMisses, turnedMiss } from './tracked.ts';

/** The return from the turn, or from the light instead of it. */
export function enterReturn(facts: Facts, turned: Comparisons, atMs: number, policy: VerificationPolicy): Step {
  const next: ReturnState = {
    name: 'return',
    facts: { ...facts, returnEnteredAtMs: atMs },
    scoredFrames: 0,
    frontalUnscored: false,
    comparisons: noComparisons,
    turned,
  };
  return proceed(next, atMs, policy);
}

export function returnFace(state: ReturnState, event: Face, policy: VerificationPolicy): Step {
  const addFrame = state.facts.active === 'head-turn' ? addChallengeFrame : addTrackedFrame;
  const seen = addFrame(state.facts, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, afterMisses(state, seen.verdict), policy);
  const facts = collectRelief(seen.facts, event, policy);
  const scoredFrames = state.scoredFrames + scoredCount(event, facts);
  const comparisons = settledWith(state.comparisons, event, policy);
  const next: ReturnState = { ...state, facts, scoredFrames, comparisons };
  if (!isFrontal(event, policy)) return comingBack(next, event, seen.live, policy);
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
  const isComparable = live && isTurned(event, facts, policy) && doesMissCount(event, facts, policy);
  if (!isComparable || comparisons.pending || !due(turned, event.atMs, policy)) {
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
  if (comparisons.misses < policy.maxReturnMisses) return stay({ ...state, comparisons });
  return finish(state.facts, event.atMs, { outcome: 'NoMatch', reason: 'second-below-threshold' }, policy);
}

/** After the turn, or the light instead of it. Frames of the way back count for the shape too. */
function secondMatch(facts: Facts, policy: VerificationPolicy): Verdict {
  if (facts.active === 'light') {
    if (facts.light?.outcome === 'answered') return { outcome: 'Match', reason: 'verified-by-light' };
    return { outcome: 'LivenessFailed', reason: 'light-not-answered' };
  }
  const shape = shapeOf(facts.relief, policy.relief);
  if (shape === 'head') return { outcome: 'Match', reason: 'verified' };
  return { outcome: 'ChallengeFailed', reason: shape === 'flat' ? 'no-parallax' : 'narrowed' };
}

export function concludeReturn({ comparisons, frontalUnscored }: ReturnState): Verdict {
  if (comparisons.misses > 0) return { outcome: 'NoMatch', reason: 'second-below-threshold' };
  if (frontalUnscored) return { outcome: 'ChallengeFailed', reason: 'too-few-scored-frames' };
  return { outcome: 'ChallengeFailed', reason: 'not-looked-back' };
}
