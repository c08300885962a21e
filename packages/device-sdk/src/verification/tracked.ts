/** The stages after the first match, in which the face must stay the same one: light, turn or staff, return. */
import { shapeOf } from '@svc/face-engine';
import type { LightVerdict } from '../light/judge.ts';
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
import { STANDARD_POLICY as policy } from './policy.ts';
import type { Verdict } from './result.ts';
import {
  type Comparisons,
  type EventOf,
  type Facts,
  type LightState,
  noComparisons,
  type ReturnState,
  type StaffState,
  type Step,
  type TrackedState,
  type TurnState,
} from './states.ts';
import { finish, pause, proceed, stay, towards } from './step.ts';
import {
  askForLight,
  isBeyondWitness,
  isFaint,
  isLightAnswered,
  isWitnessed,
  mayLightAgain,
  unwitnessed,
} from './witness.ts';

/** A face that is lost after the first match could return as another. */
export function trackedFaceLost(state: TrackedState, event: EventOf<'no-face'>): Step {
  return finish(state.facts, event.atMs, failedAs(state, 'face-lost'));
}

export function trackedSeveral(state: TrackedState, event: EventOf<'several-faces'>): Step {
  if (event.track === 'same') return pause(state, event);
  const reason = event.track === 'lost' ? 'face-lost' : 'face-swapped';
  return finish(state.facts, event.atMs, failedAs(state, reason));
}

const failedAs = (state: TrackedState, reason: 'face-lost' | 'face-swapped'): Verdict =>
  afterMisses(state, { outcome: 'ChallengeFailed', reason });

/**
 * On the way back and before staff, a frontal face below the threshold is the reason for the failure, whatever follows.
 */
function afterMisses(state: TrackedState, verdict: Verdict): Verdict {
  if (verdict.outcome !== 'ChallengeFailed' || (state.name !== 'return' && state.name !== 'staff')) return verdict;
  if (state.comparisons.misses === 0) return verdict;
  return { outcome: 'NoMatch', reason: 'second-below-threshold' };
}

/** A turned face that is not the person's. */
function turnedMiss(state: TurnState | ReturnState, event: EventOf<'compared'>): Step {
  const turned = missed(state.turned);
  if (turned.misses < policy.turned.maxMisses) return stay({ ...state, turned });
  return finish(state.facts, event.atMs, failedAs(state, 'face-swapped'));
}

/** A frontal face that is not the person's, before the second match. */
function secondMiss(state: StaffState | ReturnState, event: EventOf<'compared'>): Step {
  const comparisons = missed(state.comparisons);
  if (comparisons.misses < policy.maxReturnMisses) return stay({ ...state, comparisons });
  return finish(state.facts, event.atMs, { outcome: 'NoMatch', reason: 'second-below-threshold' });
}

/**
 * After the first match. The light comes before the turn, while the head is at rest and between two comparisons, so
 * that one person cannot answer the light for another's picture.
 * @param litSinceMs when the light sequence began that runs already
 */
export function afterFirstMatch(facts: Facts, atMs: number, litSinceMs: number | null): Step {
  if (!isComplete(facts)) return finish(facts, atMs, { outcome: 'ChallengeFailed', reason: 'no-alternative' });
  if (!facts.lightAsked) return enterActive(facts, atMs);
  const light = lightFrom(facts, atMs);
  if (litSinceMs !== null && !isUnseen({ seenAtMs: litSinceMs }, atMs)) return proceed(light, atMs);
  return lightAgain(light, atMs, finish(facts, atMs, lightNotHeld));
}

const lightFrom = (facts: Facts, atMs: number): LightState => ({
  name: 'light',
  facts: { ...facts, lightEnteredAtMs: atMs, turnEnteredAtMs: null },
  rounds: 1,
  // The frame that led here was just compared.
  comparisons: { ...noComparisons, lastAtMs: atMs },
  seenAsPerson: false,
  seenAtMs: atMs,
});

/** With a new sequence. Where no one watches, matches under an earlier one do not count for it. */
const withSequence = (state: LightState, atMs: number): LightState => ({
  ...state,
  facts: { ...state.facts, sequences: state.facts.sequences + 1, litHead: null },
  comparisons: state.facts.attendance === 'staffed' ? state.comparisons : { ...state.comparisons, lastAtMs: atMs },
  seenAsPerson: state.seenAsPerson && state.facts.attendance === 'staffed',
  seenAtMs: atMs,
});

/**
 * Without the turn, the passive check is required, and a light challenge needs a light. Where no one watches, the passive
 * check always is, and there are no staff.
 */
function isComplete({ active, passive, lightAsked, attendance }: Facts): boolean {
  if (attendance === 'unattended' && (passive === null || active === 'staff')) return false;
  return active === 'head-turn' || (passive !== null && (active === 'staff' || lightAsked));
}

/** The check after the light, if any, was answered. */
function enterActive(facts: Facts, atMs: number): Step {
  switch (facts.active) {
    case 'head-turn':
      return enterTurn(facts, atMs);
    case 'staff':
      return enterStaff(facts, atMs);
    case 'light':
      return enterReturn(facts, noComparisons, atMs);
  }
}

/** The lit face is compared periodically too: it must be the person's. */
export function lightFace(state: LightState, event: Face): Step {
  const seen = addTrackedFrame(state.facts, event);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict);
  const isStaffed = seen.facts.attendance === 'staffed';
  const { compareIntervalMs } = isStaffed ? policy.light : policy.unattended.light;
  const isComparable = isFrontal(event) && seen.comparable;
  if (!isStaffed && isBroken(state, seen.facts, event, isComparable)) {
    return lightAgain(state, event.atMs, finish(seen.facts, event.atMs, lightNotHeld));
  }
  const litHead = isStaffed ? null : { room: seen.facts.litHead?.room ?? event.room, hasTurned: false };
  const next: LightState = { ...state, facts: { ...seen.facts, litHead } };
  const isDue = due(state.comparisons, event.atMs, compareIntervalMs);
  if (!isComparable || !isDue) return proceed(next, event.atMs, event);
  const asking: LightState = { ...next, comparisons: asked(state.comparisons, event.atMs) };
  return proceed(asking, event.atMs, event, [{ type: 'compare', pose: 'frontal', probe: 'frame' }]);
}

/**
 * Where no one watches: another head may have taken part in the sequence, or it went unseen for too long. When frames may
 * be compared is not for the person to choose.
 */
function isBroken(state: LightState, facts: Facts, { atMs }: Face, isComparable: boolean): boolean {
  const { compareIntervalMs, slackMs } = policy.unattended.light;
  const hasChanged = state.facts.litHead !== null && facts.litHead === null;
  const isOverdue = !isComparable && atMs - (state.comparisons.lastAtMs ?? atMs) > compareIntervalMs + slackMs;
  return hasChanged || isOverdue || isUnseen(state, atMs);
}

/** A new sequence where one may be shown, else the end. */
function lightAgain(state: LightState, atMs: number, end: Step): Step {
  return mayLightAgain(state.facts, atMs) ? proceed(withSequence(state, atMs), atMs, {}, askForLight) : end;
}

/** One face again: the sequence was not entirely seen. Where no one watches, this frame is of the new one. */
export function resumeLight(state: LightState, event: Face): Step {
  const isStaffed = state.facts.attendance === 'staffed';
  const step = lightFace(isStaffed ? state : withSequence(state, event.atMs), event);
  if (step.state.name !== 'light') return step;
  if (!mayLightAgain(state.facts, event.atMs)) return finish(step.state.facts, event.atMs, lightNotHeld);
  const lit = isStaffed ? withSequence(step.state, event.atMs) : step.state;
  return { state: lit, effects: [...step.effects, ...askForLight] };
}

export function lightCompared(state: LightState, event: EventOf<'compared'>): Step {
  if (!state.comparisons.pending) return stay(state);
  if (event.matched) {
    return stay({ ...state, comparisons: unasked(state.comparisons), seenAsPerson: true, seenAtMs: event.atMs });
  }
  const comparisons = missed(state.comparisons);
  if (comparisons.misses < policy.light.maxMisses) return stay({ ...state, comparisons });
  return finish(state.facts, event.atMs, { outcome: 'ChallengeFailed', reason: 'face-swapped' });
}

/** The face may have been another one for too long. */
const isUnseen = ({ seenAtMs }: Pick<LightState, 'seenAtMs'>, atMs: number): boolean =>
  atMs - seenAtMs > policy.unattended.light.maxUnseenMs;

const lightNotHeld = { outcome: 'LivenessFailed', reason: 'light-not-held' } as const satisfies Verdict;

export function lightJudged(state: LightState, event: EventOf<'lit'>): Step {
  const { verdict } = event;
  const facts: Facts = { ...state.facts, light: verdict };
  if (verdict.outcome === 'not-answered') {
    return finish(facts, event.atMs, { outcome: 'LivenessFailed', reason: 'light-not-answered' });
  }
  if (leadsOn(verdict, state, event.atMs)) return enterActive(facts, event.atMs);
  const end = finish(facts, event.atMs, { outcome: 'LivenessFailed', reason: lastReason(verdict, facts) });
  const isHopeless = facts.attendance === 'unattended' && isFaint(verdict);
  if (isHopeless || state.rounds >= policy.light.maxRounds) return end;
  return lightAgain({ ...state, rounds: state.rounds + 1 }, event.atMs, end);
}

/**
 * Of the last sequence: “not answered” if the face was held still but showed no trace, and where no one watches also if
 * the light is too strong to tell.
 */
function lastReason(verdict: LightVerdict, { attendance }: Facts): 'light-not-answered' | 'light-not-held' {
  if (verdict.outcome !== 'abstained') return 'light-not-held';
  const isSilent = verdict.reason === 'faint' || (verdict.reason === 'too-bright' && attendance === 'unattended');
  return isSilent ? 'light-not-answered' : 'light-not-held';
}

/**
 * Only strong light lets an attempt continue without an answer, and not if the light is the only active check or the
 * witness. Head motion and missing frames do not, since an attacker controls them.
 */
function leadsOn(verdict: LightVerdict, state: LightState, atMs: number): boolean {
  const { active, attendance } = state.facts;
  if (verdict.outcome === 'abstained') {
    return verdict.reason === 'too-bright' && active !== 'light' && attendance === 'staffed';
  }
  return state.seenAsPerson && (attendance === 'staffed' || !isUnseen(state, atMs));
}

function enterTurn(facts: Facts, atMs: number): Step {
  const turn: TurnState = {
    name: 'turn',
    facts: { ...facts, turnEnteredAtMs: atMs },
    scoredFrames: 0,
    reached: 'not',
    turned: noComparisons,
    asked: { completesTurn: false, missCounts: false },
  };
  return proceed(turn, atMs);
}

/**
 * The frame that completes the turn must itself be of the person: depth and identity come from one picture. The face is
 * also compared on the way, so that it cannot be replaced for a while.
 */
export function turnFace(state: TurnState, event: Face): Step {
  const seen = addChallengeFrame(state.facts, event);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict);
  const facts = collectRelief(seen.facts, event);
  if (isBeyondWitness(facts)) return turnUnlit(facts, event);
  const isLive = seen.live && isWitnessed(facts);
  const scoredFrames = state.scoredFrames + scoredCount(event, facts);
  const isFar = towards(event.yawDeg, facts) >= policy.turnYawDeg;
  const isScored = isLive && enoughScored(scoredFrames, facts);
  const reached = isFar ? reachedBy(event, facts, isScored) : state.reached;
  const next: TurnState = { ...state, facts, scoredFrames, reached };
  const completesTurn = isFar && reached === 'uncompared';
  const missCounts = doesMissCount(event, facts);
  const isOnTheWay = missCounts && isTurned(event, facts);
  // The first frame that would complete the turn does not wait for the interval: a head rests there only briefly.
  const isFirstToComplete = completesTurn && !state.asked.completesTurn;
  const mayCompareNow = isFirstToComplete ? !state.turned.pending : due(state.turned, event.atMs);
  const compares = isLive && mayCompareNow && (completesTurn || isOnTheWay);
  if (!compares) return proceed(next, event.atMs, event);
  const turned = asked(state.turned, event.atMs);
  return proceed({ ...next, turned, asked: { completesTurn, missCounts } }, event.atMs, event, compareTurned);
}

/** Another head than the lit one may have come. In front it is lit too, and the turn begins after it. */
function turnUnlit(facts: Facts, event: Face): Step {
  const end = finish(facts, event.atMs, lightNotHeld);
  return isFrontal(event) ? lightAgain(lightFrom(facts, event.atMs), event.atMs, end) : end;
}

function reachedBy(event: Face, facts: Facts, isScored: boolean): TurnState['reached'] {
  // Written so that NaN fails.
  if (!(event.parallax >= policy.minParallax)) return 'without-parallax';
  if (!(event.aspect >= policy.minAspectKept * (facts.frontalAspect ?? Number.NaN))) return 'narrowed';
  const shape = shapeOf(facts.relief, policy.relief);
  if (shape !== 'head') return shape === 'flat' ? 'without-parallax' : 'narrowed';
  return isScored ? 'uncompared' : 'without-liveness';
}

export function turnCompared(state: TurnState, event: EventOf<'compared'>): Step {
  const { facts, turned, asked: what } = state;
  if (!turned.pending) return stay(state);
  if (!event.matched && what.missCounts) return turnedMiss(state, event);
  if (event.matched && what.completesTurn) return enterReturn(facts, unasked(turned), event.atMs);
  return stay({ ...state, turned: unasked(turned) });
}

/** The list's alternative to the turn: staff who see the person confirm that it is a live person. */
function enterStaff(facts: Facts, atMs: number): Step {
  const staff: StaffState = {
    name: 'staff',
    facts: { ...facts, turnEnteredAtMs: atMs },
    scoredFrames: 0,
    comparisons: { ...noComparisons, lastAtMs: atMs },
    matches: 0,
    confirmed: false,
  };
  return proceed(staff, atMs);
}

/** The face that staff look at is the one that matched, live at each frame, and is compared again meanwhile. */
export function staffFace(state: StaffState, event: Face): Step {
  const seen = addTrackedFrame(state.facts, event);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, afterMisses(state, seen.verdict));
  const { facts } = seen;
  const comparisons = settledWith(state.comparisons, event);
  const scoredFrames = state.scoredFrames + scoredCount(event, facts);
  const next: StaffState = { ...state, facts, comparisons, scoredFrames };
  const isComparable = isFrontal(event) && seen.comparable && enoughScored(scoredFrames, facts);
  if (!isComparable || !due(comparisons, event.atMs)) return proceed(next, event.atMs, event);
  const asking: StaffState = { ...next, comparisons: gathered(comparisons, event.atMs) };
  return proceed(asking, event.atMs, event, compareFrontal(comparisons));
}

export function staffCompared(state: StaffState, event: EventOf<'compared'>): Step {
  if (!state.comparisons.pending) return stay(state);
  if (!event.matched) return secondMiss(state, event);
  return decided({ ...state, comparisons: unasked(state.comparisons), matches: state.matches + 1 }, event);
}

export function staffConfirmed(state: StaffState, event: EventOf<'confirmed'>): Step {
  return decided({ ...state, confirmed: true }, event);
}

/** A match needs both the staff confirmation and the second match. */
function decided(state: StaffState, event: EventOf<'compared' | 'confirmed'>): Step {
  if (!state.confirmed || state.matches === 0) return stay(state);
  return finish(state.facts, event.atMs, { outcome: 'Match', reason: 'staff-confirmed' });
}

/** The return from the turn, or from the light instead of it. */
function enterReturn(facts: Facts, turned: Comparisons, atMs: number): Step {
  const next: ReturnState = {
    name: 'return',
    facts: { ...facts, returnEnteredAtMs: atMs },
    scoredFrames: 0,
    frontalUnscored: false,
    comparisons: noComparisons,
    turned,
  };
  return proceed(next, atMs);
}

export function returnFace(state: ReturnState, event: Face): Step {
  const addFrame = state.facts.active === 'head-turn' ? addChallengeFrame : addTrackedFrame;
  const seen = addFrame(state.facts, event);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, afterMisses(state, seen.verdict));
  const facts = collectRelief(seen.facts, event);
  const scoredFrames = state.scoredFrames + scoredCount(event, facts);
  const comparisons = settledWith(state.comparisons, event);
  const next: ReturnState = { ...state, facts, scoredFrames, comparisons };
  if (isBeyondWitness(facts)) return finish(facts, event.atMs, lightNotHeld);
  if (!isFrontal(event)) return comingBack(next, event, seen.live && isWitnessed(facts));
  if (!seen.comparable || !isWitnessed(facts) || !enoughScored(scoredFrames, facts)) {
    return proceed({ ...next, frontalUnscored: true }, event.atMs, event);
  }
  if (state.turned.pending || !due(comparisons, event.atMs)) return proceed(next, event.atMs, event);
  const asking: ReturnState = { ...next, comparisons: gathered(comparisons, event.atMs) };
  return proceed(asking, event.atMs, event, compareFrontal(comparisons));
}

/** A different face on the way back could be swapped again for the second match. */
function comingBack(state: ReturnState, event: Face, live: boolean): Step {
  const { facts, comparisons, turned } = state;
  const isComparable = live && isTurned(event, facts) && doesMissCount(event, facts);
  if (!isComparable || comparisons.pending || !due(turned, event.atMs)) return proceed(state, event.atMs, event);
  return proceed({ ...state, turned: asked(turned, event.atMs) }, event.atMs, event, compareTurned);
}

export function returnCompared(state: ReturnState, event: EventOf<'compared'>): Step {
  if (state.turned.pending) {
    return event.matched ? stay({ ...state, turned: unasked(state.turned) }) : turnedMiss(state, event);
  }
  if (!state.comparisons.pending) return stay(state);
  return event.matched ? finish(state.facts, event.atMs, secondMatch(state.facts)) : secondMiss(state, event);
}

/** After the turn, or the light instead of it. Frames of the way back count for the shape too. */
function secondMatch(facts: Facts): Verdict {
  if (isBeyondWitness(facts)) return lightNotHeld;
  if (facts.active === 'light') {
    if (isLightAnswered(facts)) return { outcome: 'Match', reason: 'verified-by-light' };
    return { outcome: 'LivenessFailed', reason: 'light-not-answered' };
  }
  const shape = shapeOf(facts.relief, policy.relief);
  if (shape === 'head') return { outcome: 'Match', reason: 'verified' };
  return { outcome: 'ChallengeFailed', reason: shape === 'flat' ? 'no-parallax' : 'narrowed' };
}

const unfinishedTurn = {
  'without-parallax': 'no-parallax',
  narrowed: 'narrowed',
  'without-liveness': 'too-few-scored-frames',
  not: 'turn-not-made',
  uncompared: 'turn-not-made',
} as const satisfies Record<TurnState['reached'], string>;

/** The verdict when the window or the camera ends before a match. */
export function concludeTracked(state: TrackedState): Verdict {
  if (state.name === 'light') return lightNotHeld;
  const lacksWitness = !isWitnessed(state.facts);
  if (state.name === 'turn') {
    if (lacksWitness && state.reached === 'without-liveness') return unwitnessed(state.facts);
    return { outcome: 'ChallengeFailed', reason: unfinishedTurn[state.reached] };
  }
  if (state.comparisons.misses > 0) return { outcome: 'NoMatch', reason: 'second-below-threshold' };
  const isUnscored = state.name === 'staff' ? state.confirmed : state.frontalUnscored;
  if (isUnscored && lacksWitness) return unwitnessed(state.facts);
  if (isUnscored) return { outcome: 'ChallengeFailed', reason: 'too-few-scored-frames' };
  return { outcome: 'ChallengeFailed', reason: state.name === 'staff' ? 'staff-not-confirmed' : 'not-looked-back' };
}
