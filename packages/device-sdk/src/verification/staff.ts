import {
  addTrackedFrame,
  compareFrontal,
  due,
  enoughScored,
  type Face,
  gathered,
  isFrontal,
  missed,
  scoredCount,
  settledWith,
  unasked,
} from './frame-facts.ts';
import type { VerificationPolicy } from './policy.ts';
import type { Verdict } from './result.ts';
import { type EventOf, type Facts, noComparisons, type StaffState, type Step } from './states.ts';
import { finish, proceed, stay } from './step.ts';
import { afterMisses } from './tracked.ts';

/** The list's alternative to the turn: staff who see the person confirm that it is a live person. */
export function enterStaff(facts: Facts, atMs: number, policy: VerificationPolicy): Step {
  const staff: StaffState = {
    name: 'staff',
    facts: { ...facts, turnEnteredAtMs: atMs },
    scoredFrames: 0,
    comparisons: { ...noComparisons, lastAtMs: atMs },
    matches: 0,
    confirmed: false,
  };
  return proceed(staff, atMs, policy);
}

/** The face that staff look at is the one that matched, live at each frame, and is compared again meanwhile. */
export function staffFace(state: StaffState, event: Face, policy: VerificationPolicy): Step {
  const seen = addTrackedFrame(state.facts, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, afterMisses(state, seen.verdict), policy);
  const { facts } = seen;
  const comparisons = settledWith(state.comparisons, event, policy);
  const next: StaffState = {
    ...state,
    facts,
    comparisons,
    scoredFrames: state.scoredFrames + scoredCount(event, facts),
  };
  const isComparable = isFrontal(event, policy) && seen.comparable && enoughScored(next.scoredFrames, facts, policy);
  if (!isComparable || !due(comparisons, event.atMs, policy)) return proceed(next, event.atMs, policy, event);
  const asking: StaffState = { ...next, comparisons: gathered(comparisons, event.atMs) };
  return proceed(asking, event.atMs, policy, event, compareFrontal(comparisons));
}

export function staffCompared(state: StaffState, event: EventOf<'compared'>, policy: VerificationPolicy): Step {
  if (!state.comparisons.pending) return stay(state);
  if (event.matched) {
    return decided({ ...state, comparisons: unasked(state.comparisons), matches: state.matches + 1 }, event, policy);
  }
  const comparisons = missed(state.comparisons);
  if (comparisons.misses < policy.maxReturnMisses) return stay({ ...state, comparisons });
  return finish(state.facts, event.atMs, { outcome: 'NoMatch', reason: 'second-below-threshold' }, policy);
}

export function staffConfirmed(state: StaffState, event: EventOf<'confirmed'>, policy: VerificationPolicy): Step {
  return decided({ ...state, confirmed: true }, event, policy);
}

/** A match needs both the staff confirmation and the second match. */
function decided(state: StaffState, event: EventOf<'compared' | 'confirmed'>, policy: VerificationPolicy): Step {
  if (!state.confirmed || state.matches === 0) return stay(state);
  return finish(state.facts, event.atMs, { outcome: 'Match', reason: 'staff-confirmed' }, policy);
}

export function concludeStaff({ comparisons, confirmed }: StaffState): Verdict {
  if (comparisons.misses > 0) return { outcome: 'NoMatch', reason: 'second-below-threshold' };
  return { outcome: 'ChallengeFailed', reason: confirmed ? 'too-few-scored-frames' : 'staff-not-confirmed' };
}
