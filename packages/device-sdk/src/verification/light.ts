import type { LightVerdict } from '../light/judge.ts';
import { addTrackedFrame, asked, due, type Face, isFrontal, missed, unasked } from './frame-facts.ts';
import type { VerificationPolicy } from './policy.ts';
import { enterReturn } from './return.ts';
import { enterStaff } from './staff.ts';
import { type AttemptEffect, type EventOf, type Facts, type LightState, noComparisons, type Step } from './states.ts';
import { finish, proceed, stay } from './step.ts';
import { enterTurn } from './turn.ts';

const askForLight: readonly AttemptEffect[] = [{ type: 'light' }];

/**
 * After the first match. The light comes before the turn, while the head is at rest and between two comparisons, so
 * that one person cannot answer the light for another's picture.
 */
export function afterFirstMatch(facts: Facts, atMs: number, policy: VerificationPolicy): Step {
  if (!isComplete(facts)) return finish(facts, atMs, { outcome: 'ChallengeFailed', reason: 'no-alternative' }, policy);
  if (!facts.lightAsked) return enterActive(facts, atMs, policy);
  const light: LightState = {
    name: 'light',
    facts: { ...facts, lightEnteredAtMs: atMs },
    rounds: 1,
    // The frame that led here was just compared.
    comparisons: { ...noComparisons, lastAtMs: atMs },
    seenAsPerson: false,
  };
  return proceed(light, atMs, policy, {}, askForLight);
}

/** Without the turn, the passive check is required, and a light challenge needs a light. */
const isComplete = ({ active, passive, lightAsked }: Facts): boolean =>
  active === 'head-turn' || (passive !== null && (active === 'staff' || lightAsked));

/** The check after the light, if any, was answered. */
function enterActive(facts: Facts, atMs: number, policy: VerificationPolicy): Step {
  switch (facts.active) {
    case 'head-turn':
      return enterTurn(facts, atMs, policy);
    case 'staff':
      return enterStaff(facts, atMs, policy);
    case 'light':
      return enterReturn(facts, noComparisons, atMs, policy);
  }
}

/** The lit face is compared periodically too: it must be the person's. */
export function lightFace(state: LightState, event: Face, policy: VerificationPolicy): Step {
  const seen = addTrackedFrame(state.facts, event, policy);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict, policy);
  const next: LightState = { ...state, facts: seen.facts };
  const compares = isFrontal(event, policy) && seen.comparable && due(state.comparisons, event.atMs, policy.light);
  if (!compares) return proceed(next, event.atMs, policy, event);
  const asking: LightState = { ...next, comparisons: asked(state.comparisons, event.atMs) };
  return proceed(asking, event.atMs, policy, event, [{ type: 'compare', pose: 'frontal', probe: 'frame' }]);
}

/** One face again: the sequence was not entirely seen. */
export function resumeLight(state: LightState, event: Face, policy: VerificationPolicy): Step {
  const step = lightFace(state, event, policy);
  return step.state.name === 'light' ? { ...step, effects: [...step.effects, ...askForLight] } : step;
}

export function lightCompared(state: LightState, event: EventOf<'compared'>, policy: VerificationPolicy): Step {
  if (!state.comparisons.pending) return stay(state);
  if (event.matched) return stay({ ...state, comparisons: unasked(state.comparisons), seenAsPerson: true });
  const comparisons = missed(state.comparisons);
  if (comparisons.misses < policy.light.maxMisses) return stay({ ...state, comparisons });
  return finish(state.facts, event.atMs, { outcome: 'ChallengeFailed', reason: 'face-swapped' }, policy);
}

export function lightJudged(state: LightState, event: EventOf<'lit'>, policy: VerificationPolicy): Step {
  const { verdict } = event;
  const facts: Facts = { ...state.facts, light: verdict };
  if (verdict.outcome === 'not-answered') {
    return finish(facts, event.atMs, { outcome: 'LivenessFailed', reason: 'light-not-answered' }, policy);
  }
  if (leadsOn(verdict, state)) return enterActive(facts, event.atMs, policy);
  if (state.rounds >= policy.light.maxRounds) {
    return finish(facts, event.atMs, { outcome: 'LivenessFailed', reason: lastReason(verdict) }, policy);
  }
  return proceed({ ...state, rounds: state.rounds + 1 }, event.atMs, policy, {}, askForLight);
}

/** Of the last sequence: «not answered» if the face was held still but showed no trace. */
const lastReason = (verdict: LightVerdict): 'light-not-answered' | 'light-not-held' =>
  verdict.outcome === 'abstained' && verdict.reason === 'faint' ? 'light-not-answered' : 'light-not-held';

/**
 * Only strong light lets an attempt continue without an answer, and not if the light is the only active check. Head
 * motion and missing frames do not, since an attacker controls them.
 */
const leadsOn = (verdict: LightVerdict, { facts, seenAsPerson }: LightState): boolean =>
  verdict.outcome === 'abstained' ? verdict.reason === 'too-bright' && facts.active !== 'light' : seenAsPerson;
