import { concludeNow } from './handlers.ts';
import { STANDARD_POLICY, type VerificationPolicy } from './policy.ts';
import type { AttemptEffect, AttemptEvent, AttemptState, EventName, Setup, StateName, Step } from './states.ts';
import { type Transition, transitionTable } from './table.ts';

/** A new attempt, waiting for the camera's first frame. Pure: the caller draws the direction. */
export function openAttempt(setup: Setup, policy: VerificationPolicy = STANDARD_POLICY): Step {
  const prompt: AttemptEffect = {
    type: 'prompt',
    prompt: {
      key: 'look-at-camera',
      ...(setup.lightAsked ? { next: 'light' } : {}),
      progress: 0,
      remainingMs: policy.windowMs,
    },
  };
  return { state: { name: 'starting', ...setup }, effects: [prompt] };
}

/**
 * The verification as a pure function: frontal match, random head turn or the list's alternative, second match, all
 * within ten seconds of the first frame. It uses no clock, camera or randomness; the driver feeds events and carries
 * out effects. Event times need not increase: a tick may be ahead of a frame that is still being processed.
 */
export function transition(
  state: AttemptState,
  event: AttemptEvent,
  policy: VerificationPolicy = STANDARD_POLICY,
): Step {
  if (state.name !== 'starting' && state.name !== 'finished') {
    const { startedAtMs } = state.name === 'paused' ? state.under.facts : state.facts;
    if (event.atMs - startedAtMs >= policy.windowMs) return concludeNow(state, event, policy);
  }
  // Each cell is typed; the pair chosen here is the cell's own by construction.
  const cell = transitionTable[state.name][event.type] as Transition<StateName, EventName>;
  return cell.apply(state, event, policy);
}
