import { unasked } from './frame-facts.ts';
import {
  awaitFirstFrame,
  concludeFrontal,
  firstFrame,
  frontalCompared,
  frontalFace,
  frontalJudged,
  frontalNoFace,
  frontalSeveral,
  neverStarted,
  open,
} from './frontal.ts';
import { STANDARD_POLICY } from './policy.ts';
import type { Verdict } from './result.ts';
import type {
  AttemptEffect,
  AttemptEvent,
  AttemptState,
  EventName,
  EventOf,
  PausedState,
  Setup,
  StageState,
  StateName,
  StateOf,
  Step,
} from './states.ts';
import { cameraUnproven, finish, stay } from './step.ts';
import {
  concludeTracked,
  lightCompared,
  lightFace,
  lightJudged,
  resumeLight,
  returnCompared,
  returnFace,
  staffCompared,
  staffConfirmed,
  staffFace,
  trackedFaceLost,
  trackedSeveral,
  turnCompared,
  turnFace,
} from './tracked.ts';

type Handler<S extends StateName, E extends EventName> = (state: StateOf<S>, event: EventOf<E>) => Step;
type Row<S extends StateName> = { readonly [E in EventName]?: Handler<S, E> };

/** In every stage and in the pause. */
const whileOpen = { ended: concludeNow, failed: attemptFailed, cancelled: attemptFailed };
/** In the stages after the first match. */
const whileTracked = { ...whileOpen, 'no-face': trackedFaceLost, 'several-faces': trackedSeveral };

/**
 * The whole verification: what an event changes in a state; machine.test.ts has where each may lead. An event without a
 * handler changes nothing. The end of the ten-second window is the only rule outside the table, since it is the same in
 * every stage (see `transition`).
 */
export const transitionTable: { readonly [S in StateName]: Row<S> } = {
  starting: {
    frame: firstFrame,
    face: open(frontalFace),
    'no-face': open(frontalNoFace),
    'several-faces': open(frontalSeveral),
    tick: awaitFirstFrame,
    ended: neverStarted,
    failed: neverStarted,
    cancelled: neverStarted,
  },
  frontal: {
    ...whileOpen,
    face: frontalFace,
    'no-face': frontalNoFace,
    'several-faces': frontalSeveral,
    compared: frontalCompared,
    lit: frontalJudged,
  },
  light: { ...whileTracked, face: lightFace, compared: lightCompared, lit: lightJudged },
  turn: { ...whileTracked, face: turnFace, compared: turnCompared },
  staff: { ...whileTracked, face: staffFace, compared: staffCompared, confirmed: staffConfirmed },
  return: { ...whileTracked, face: returnFace, compared: returnCompared },
  paused: { ...whileOpen, face: resumed, 'no-face': resumed, 'several-faces': resumed, compared: forgetComparison },
  finished: {},
};

/** A new attempt, waiting for the camera's first frame. Pure: the caller draws the direction. */
export function openAttempt(setup: Setup): Step {
  const prompt: AttemptEffect = {
    type: 'prompt',
    prompt: {
      key: 'look-at-camera',
      ...(setup.lightAsked ? { next: 'light' } : {}),
      progress: 0,
      remainingMs: STANDARD_POLICY.windowMs,
    },
  };
  return { state: { name: 'starting', ...setup }, effects: [prompt] };
}

/**
 * The verification as a pure function: frontal match, random head turn or the list's alternative, second match, all
 * within ten seconds of the first frame. It uses no clock, camera or randomness; the driver feeds events and carries
 * out effects. Event times need not increase: a tick may be ahead of a frame that is still being processed.
 */
export function transition(state: AttemptState, event: AttemptEvent): Step {
  if (state.name !== 'starting' && state.name !== 'finished') {
    const { startedAtMs } = stageOf(state).facts;
    if (event.atMs - startedAtMs >= STANDARD_POLICY.windowMs) return concludeNow(state, event);
  }
  return applied(state, event);
}

const stageOf = (state: StageState | PausedState): StageState => (state.name === 'paused' ? state.under : state);

/** By the table alone. Each handler is typed; the pair chosen here is its own by construction. */
function applied(state: AttemptState, event: AttemptEvent): Step {
  const handle = transitionTable[state.name][event.type] as Handler<StateName, EventName> | undefined;
  return handle === undefined ? stay(state) : handle(state, event);
}

/** The paused stage continues with this frame; the light was not entirely seen, and starts again. */
function resumed({ under }: PausedState, event: EventOf<'face' | 'no-face' | 'several-faces'>): Step {
  if (under.name === 'light' && event.type === 'face') return resumeLight(under, event);
  return applied(under, event);
}

/** A match during a pause could be the other person's. */
function forgetComparison({ name, under }: PausedState): Step {
  const comparisons = 'comparisons' in under ? { comparisons: unasked(under.comparisons) } : {};
  const turned = 'turned' in under ? { turned: unasked(under.turned) } : {};
  return stay({ name, under: { ...under, ...comparisons, ...turned } as StageState });
}

/** The window is over, whatever the event. */
function concludeNow(state: StageState | PausedState, event: AttemptEvent): Step {
  const { facts } = stageOf(state);
  const verdict = state.name === 'paused' ? concludePaused(state.under) : conclude(state);
  return finish(facts, Math.min(event.atMs, facts.startedAtMs + STANDARD_POLICY.windowMs), verdict);
}

const conclude = (stage: StageState): Verdict =>
  stage.name === 'frontal' ? concludeFrontal(stage) : concludeTracked(stage);

function concludePaused(under: StageState): Verdict {
  if (under.name === 'frontal') return { outcome: 'NoMatch', reason: 'several-faces' };
  if ((under.name === 'return' || under.name === 'staff') && under.comparisons.misses > 0) return conclude(under);
  return { outcome: 'ChallengeFailed', reason: 'several-faces' };
}

function attemptFailed(state: StageState | PausedState, event: EventOf<'failed' | 'cancelled'>): Step {
  const stage = stageOf(state);
  const reason = event.type === 'failed' ? event.cause : 'cancelled';
  if (reason === 'camera-unproven') return finish(stage.facts, event.atMs, cameraUnproven);
  const outcome = stage.name === 'frontal' ? 'NoFace' : 'ChallengeFailed';
  return finish(stage.facts, event.atMs, { outcome, reason });
}
