import { missed } from './frame-facts.ts';
import type { VerificationPolicy } from './policy.ts';
import type { Verdict } from './result.ts';
import type { EventOf, ReturnState, Step, TrackedState, TurnState } from './states.ts';
import { finish, pause, stay } from './step.ts';

/** A face that is lost after the first match could return as another. */
export function trackedFaceLost(state: TrackedState, event: EventOf<'no-face'>, policy: VerificationPolicy): Step {
  return finish(state.facts, event.atMs, failedAs(state, 'face-lost'), policy);
}

export function trackedSeveral(state: TrackedState, event: EventOf<'several-faces'>, policy: VerificationPolicy): Step {
  if (event.track === 'same') return pause(state, event, policy);
  const reason = event.track === 'lost' ? 'face-lost' : 'face-swapped';
  return finish(state.facts, event.atMs, failedAs(state, reason), policy);
}

/** A turned face that is not the person's. */
export function turnedMiss(
  state: TurnState | ReturnState,
  event: EventOf<'compared'>,
  policy: VerificationPolicy,
): Step {
  const turned = missed(state.turned);
  if (turned.misses < policy.turned.maxMisses) return stay({ ...state, turned });
  return finish(state.facts, event.atMs, failedAs(state, 'face-swapped'), policy);
}

const failedAs = (state: TrackedState, reason: 'face-lost' | 'face-swapped'): Verdict =>
  afterMisses(state, { outcome: 'ChallengeFailed', reason });

/**
 * On the way back and before staff, a frontal face below the threshold is the reason for the failure, whatever follows.
 */
export function afterMisses(state: TrackedState, verdict: Verdict): Verdict {
  if (verdict.outcome !== 'ChallengeFailed' || (state.name !== 'return' && state.name !== 'staff')) return verdict;
  if (state.comparisons.misses === 0) return verdict;
  return { outcome: 'NoMatch', reason: 'second-below-threshold' };
}
