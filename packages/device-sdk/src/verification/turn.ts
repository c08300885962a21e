import { shapeOf } from '@svc/face-engine';
import {
  addChallengeFrame,
  asked,
  collectRelief,
  compareTurned,
  doesMissCount,
  due,
  enoughScored,
  type Face,
  isTurned,
  scoredCount,
  unasked,
} from './frame-facts.ts';
import type { VerificationPolicy } from './policy.ts';
import type { Verdict } from './result.ts';
import { enterReturn } from './return.ts';
import { type EventOf, type Facts, noComparisons, type Step, type TurnState } from './states.ts';
import { finish, proceed, stay, towards } from './step.ts';
import { turnedMiss } from './tracked.ts';

export function enterTurn(facts: Facts, atMs: number, policy: VerificationPolicy): Step {
  const turn: TurnState = {
    name: 'turn',
    facts: { ...facts, turnEnteredAtMs: atMs },
    scoredFrames: 0,
    reached: 'not',
    turned: noComparisons,
    asked: { completesTurn: false, missCounts: false },
  };
  return proceed(turn, atMs, policy);
}

/**
 * The frame that completes the turn must itself be of the person: depth and identity come from one picture. The face is
 * also compared on the way, so that it cannot be replaced for a while.
 */
export function turnFace(state: TurnState, event: Face, policy: VerificationPolicy): Step {
  const seen = addChallengeFrame(state.facts, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict, policy);
  const facts = collectRelief(seen.facts, event, policy);
  const scoredFrames = state.scoredFrames + scoredCount(event, facts);
  const isFar = towards(event.yawDeg, facts) >= policy.turnYawDeg;
  const isScored = seen.live && enoughScored(scoredFrames, facts, policy);
  const reached = isFar ? reachedBy(event, facts, isScored, policy) : state.reached;
  const next: TurnState = { ...state, facts, scoredFrames, reached };
  const completesTurn = isFar && reached === 'uncompared';
  const missCounts = doesMissCount(event, facts, policy);
  const isOnTheWay = missCounts && isTurned(event, facts, policy);
  // The first frame that would complete the turn does not wait for the interval: a head rests there only briefly.
  const isFirstToComplete = completesTurn && !state.asked.completesTurn;
  const mayCompareNow = isFirstToComplete ? !state.turned.pending : due(state.turned, event.atMs, policy);
  const compares = seen.live && mayCompareNow && (completesTurn || isOnTheWay);
  if (!compares) return proceed(next, event.atMs, policy, event);
  const turned = asked(state.turned, event.atMs);
  return proceed({ ...next, turned, asked: { completesTurn, missCounts } }, event.atMs, policy, event, compareTurned);
}

function reachedBy(event: Face, facts: Facts, isScored: boolean, policy: VerificationPolicy): TurnState['reached'] {
  // Written so that NaN fails.
  if (!(event.parallax >= policy.minParallax)) return 'without-parallax';
  if (!(event.aspect >= policy.minAspectKept * (facts.frontalAspect ?? Number.NaN))) return 'narrowed';
  const shape = shapeOf(facts.relief, policy.relief);
  if (shape !== 'head') return shape === 'flat' ? 'without-parallax' : 'narrowed';
  return isScored ? 'uncompared' : 'without-liveness';
}

export function turnCompared(state: TurnState, event: EventOf<'compared'>, policy: VerificationPolicy): Step {
  const { facts, turned, asked: what } = state;
  if (!turned.pending) return stay(state);
  if (!event.matched && what.missCounts) return turnedMiss(state, event, policy);
  if (event.matched && what.completesTurn) return enterReturn(facts, unasked(turned), event.atMs, policy);
  return stay({ ...state, turned: unasked(turned) });
}

export function concludeTurn({ reached }: TurnState): Verdict {
  if (reached === 'without-parallax') return { outcome: 'ChallengeFailed', reason: 'no-parallax' };
  if (reached === 'narrowed') return { outcome: 'ChallengeFailed', reason: 'narrowed' };
  if (reached === 'without-liveness') return { outcome: 'ChallengeFailed', reason: 'too-few-scored-frames' };
  return { outcome: 'ChallengeFailed', reason: 'turn-not-made' };
}
