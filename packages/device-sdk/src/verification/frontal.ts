import {
  addFrame,
  compareFrontal,
  due,
  type Face,
  gathered,
  isFrontal,
  missed,
  settledWith,
  unasked,
} from './frame-facts.ts';
import { emptyEstimate } from './liveness-estimate.ts';
import { STANDARD_POLICY as policy } from './policy.ts';
import type { Verdict } from './result.ts';
import {
  type AttemptEffect,
  type AttemptEvent,
  type EventOf,
  type Facts,
  type FrontalState,
  noComparisons,
  type Setup,
  type StartingState,
  type Step,
  ungathered,
} from './states.ts';
import { cameraUnproven, finish, pause, proceed, stay } from './step.ts';
import { afterFirstMatch } from './tracked.ts';
import { askForLight, beginsEarly, boundToLit, dropLight, isFaint, mayBeCompared, unwitnessed } from './witness.ts';

/** What is known when the window opens. */
export const openedFacts = (setup: Setup, startedAtMs: number): Facts => ({
  ...setup,
  startedAtMs,
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
  litHead: null,
  lack: null,
  sequences: 0,
  lastPrompt: null,
});

/** The first frame opens the window, and is then handled like any other. */
export const open =
  <E extends AttemptEvent>(handle: (state: FrontalState, event: E) => Step) =>
  ({ name: _, ...setup }: StartingState, event: E): Step =>
    handle(
      { name: 'frontal', facts: openedFacts(setup, event.atMs), comparisons: noComparisons, litSinceMs: null },
      event,
    );

/** The ten seconds start here, however long the engine takes for this frame. */
export const firstFrame = open((state: FrontalState, event: EventOf<'frame'>) => proceed(state, event.atMs));

export function awaitFirstFrame(state: StartingState, event: EventOf<'tick'>): Step {
  if (event.atMs < policy.firstFrameTimeoutMs) return stay(state);
  return finish(null, event.atMs, { outcome: 'NoFace', reason: 'no-frames' });
}

/** The attempt ends before its first frame. */
export function neverStarted(_state: StartingState, event: EventOf<'ended' | 'failed' | 'cancelled'>): Step {
  const reason = event.type === 'failed' ? event.cause : event.type === 'ended' ? 'no-frames' : 'cancelled';
  if (reason === 'camera-unproven') return finish(null, event.atMs, cameraUnproven);
  return finish(null, event.atMs, { outcome: 'NoFace', reason });
}

export function frontalFace(state: FrontalState, event: Face): Step {
  const kept = event.track === 'same' ? asLit(state, event) : startAnew(state);
  const { facts: known, comparisons: before } = kept;
  const comparisons = settledWith(before, event);
  const frontal = isFrontal(event);
  const seen = addFrame({ ...known, frontalSeen: known.frontalSeen || frontal }, event);
  if ('verdict' in seen) return finish(seen.facts, event.atMs, seen.verdict);
  const rested = restOf(state, kept);
  const next: FrontalState = { ...kept, facts: seen.facts, comparisons };
  if (frontal && seen.comparable && mayBeCompared(seen.facts) && due(comparisons, event.atMs)) {
    const facts = { ...seen.facts, frontalAspect: event.aspect };
    const asking: FrontalState = { ...next, facts, comparisons: gathered(comparisons, event.atMs) };
    return lightEarly(asking, event, [...rested, ...compareFrontal(comparisons)]);
  }
  return lightEarly(next, event, rested);
}

/** Keeps the stage, and begins the light where no one watches. */
function lightEarly(state: FrontalState, event: Face, effects: readonly AttemptEffect[]): Step {
  if (!beginsEarly(state.facts, event)) return proceed(state, event.atMs, event, effects);
  const litHead = { room: event.room, hasTurned: false };
  const facts = { ...state.facts, sequences: state.facts.sequences + 1, litHead };
  const lit: FrontalState = { ...state, facts, litSinceMs: event.atMs };
  return proceed(lit, event.atMs, event, [...effects, ...askForLight]);
}

/**
 * The next face counts as a new person: the last one's evidence does not apply. Only frames that were looked at count
 * as an empty view, so that a slow engine does not end the attempt of a person who stands there.
 */
export function frontalNoFace(state: FrontalState, event: EventOf<'no-face'>): Step {
  const { faceSeenAtMs, startedAtMs } = state.facts;
  const emptyMs = event.atMs - (faceSeenAtMs ?? startedAtMs);
  if (faceSeenAtMs === null && emptyMs >= policy.emptyView.endAfterMs) {
    return finish(state.facts, event.atMs, { outcome: 'NoFace', reason: 'no-face' });
  }
  const anew = startAnew(state);
  return proceed(anew, event.atMs, { isEmpty: emptyMs >= policy.emptyView.askAfterMs }, restOf(state, anew));
}

export function frontalSeveral(state: FrontalState, event: EventOf<'several-faces'>): Step {
  const kept = unlit(event.track === 'same' ? state : startAnew(state));
  return pause({ ...kept, facts: { ...kept.facts, faceSeenAtMs: event.atMs } }, event, restOf(state, kept));
}

export function frontalCompared(state: FrontalState, event: EventOf<'compared'>): Step {
  if (!state.comparisons.pending) return stay(state);
  if (event.matched) return afterFirstMatch(state.facts, event.atMs, state.litSinceMs);
  const comparisons = missed(state.comparisons);
  if (comparisons.misses >= policy.maxFrontalMisses) {
    return finish(state.facts, event.atMs, { outcome: 'NoMatch', reason: 'below-threshold' });
  }
  // The lit face may be somebody else's.
  const anew = unlit({ ...state, comparisons });
  return { state: anew, effects: restOf(state, anew) };
}

/**
 * The early sequence is over before the first match: whoever answered it may be anybody. In light too strong to see any
 * trace of it, none of this attempt can be answered any more.
 */
export function frontalJudged(state: FrontalState, { verdict, atMs }: EventOf<'lit'>): Step {
  if (state.litSinceMs === null) return stay(state);
  const facts = { ...state.facts, light: verdict };
  if (verdict.outcome !== 'not-answered' && !isFaint(verdict)) return stay(unlit({ ...state, facts }));
  return finish(facts, atMs, { outcome: 'LivenessFailed', reason: 'light-not-answered' });
}

/** Drops the early sequence that a change of state has made worthless. */
const restOf = (before: FrontalState, after: FrontalState): readonly AttemptEffect[] =>
  before.litSinceMs !== null && after.litSinceMs === null ? dropLight : [];

export function concludeFrontal({ facts, comparisons }: FrontalState): Verdict {
  if (facts.faceSeenAtMs === null) return { outcome: 'NoFace', reason: 'no-face' };
  if (facts.passive !== null && !facts.everScored) return { outcome: 'LivenessFailed', reason: 'never-scorable' };
  if (comparisons.misses > 0) return { outcome: 'NoMatch', reason: 'below-threshold' };
  if (!facts.frontalSeen) return { outcome: 'NoMatch', reason: 'not-frontal' };
  if (!mayBeCompared(facts)) return unwitnessed(facts);
  // Scored and frontal, yet never compared: the estimate never had enough consecutive scored frames.
  if (facts.passive !== null) return { outcome: 'LivenessFailed', reason: 'too-few-scored-frames' };
  return { outcome: 'NoMatch', reason: 'window-ended' };
}

/** Another face: earlier evidence and a pending comparison do not apply to it. */
const startAnew = (state: FrontalState): FrontalState =>
  unlit({
    ...state,
    facts: { ...state.facts, estimate: emptyEstimate, lack: null },
    comparisons: ungathered(unasked(state.comparisons)),
  });

/** The early sequence is over, or nobody's. */
const unlit = (state: FrontalState): FrontalState => ({
  ...state,
  facts: { ...state.facts, litHead: null },
  litSinceMs: null,
});

/** Another head than the lit one may have come, although it seems to be the same face. */
function asLit(state: FrontalState, event: Face): FrontalState {
  const facts = boundToLit(state.facts, event);
  return facts.litHead === null ? unlit(state) : { ...state, facts };
}
