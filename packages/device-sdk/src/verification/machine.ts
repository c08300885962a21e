import { unasked } from './frame-facts.ts';
import {
  awaitFirstFrame,
  concludeFrontal,
  firstFrame,
  frontalCompared,
  frontalFace,
  frontalNoFace,
  frontalSeveral,
  neverStarted,
  open,
} from './frontal.ts';
import { lightCompared, lightFace, lightJudged, resumeLight } from './light.ts';
import { STANDARD_POLICY, type VerificationPolicy } from './policy.ts';
import type { Verdict } from './result.ts';
import { concludeReturn, returnCompared, returnFace } from './return.ts';
import { concludeStaff, staffCompared, staffConfirmed, staffFace } from './staff.ts';
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
import { finish, stay } from './step.ts';
import { trackedFaceLost, trackedSeveral } from './tracked.ts';
import { concludeTurn, turnCompared, turnFace } from './turn.ts';

/** A cell of the table: what happens, where it may lead, and why, in words that docs/device-sdk.md repeats. */
export interface Transition<S extends StateName, E extends EventName> {
  readonly apply: (state: StateOf<S>, event: EventOf<E>, policy: VerificationPolicy) => Step;
  readonly leadsTo: readonly StateName[];
  readonly because: string;
}
type Row<S extends StateName> = { readonly [E in EventName]?: Transition<S, E> };

/** In every stage and in the pause. */
const whileOpen = {
  ended: { apply: concludeNow, leadsTo: ['finished'], because: 'no more frames: same as the end of the window' },
  failed: {
    apply: attemptFailed,
    leadsTo: ['finished'],
    because: 'NoFace before the first match, else ChallengeFailed',
  },
  cancelled: { apply: attemptFailed, leadsTo: ['finished'], because: 'the host cancelled the attempt' },
} as const;

/** In the stages after the first match. */
const whileTracked = {
  ...whileOpen,
  'no-face': { apply: trackedFaceLost, leadsTo: ['finished'], because: 'a lost face could return as another one' },
  'several-faces': {
    apply: trackedSeveral,
    leadsTo: ['paused', 'finished'],
    because: 'two faces pause the attempt; a lost or swapped face ends it',
  },
} as const;

/**
 * The whole verification: what an event changes in a state. An event without an entry changes nothing. The end of the
 * ten-second window is the only rule outside it, since it is the same in every stage (see `transition`).
 */
export const transitionTable: { readonly [S in StateName]: Row<S> } = {
  starting: {
    frame: { apply: firstFrame, leadsTo: ['frontal'], because: 'the first frame opens the window' },
    face: {
      apply: open(frontalFace),
      leadsTo: ['frontal', 'finished'],
      because: 'the first frame opens the window; an attack frame ends the attempt',
    },
    'no-face': { apply: open(frontalNoFace), leadsTo: ['frontal'], because: 'the first frame opens the window' },
    'several-faces': {
      apply: open(frontalSeveral),
      leadsTo: ['paused'],
      because: 'the first frame opens the window, with several people in it',
    },
    tick: {
      apply: awaitFirstFrame,
      leadsTo: ['starting', 'finished'],
      because: 'no frame in time counts as no camera',
    },
    ended: { apply: neverStarted, leadsTo: ['finished'], because: 'the camera gave no frame' },
    failed: { apply: neverStarted, leadsTo: ['finished'], because: 'no camera: NoFace with its reason' },
    cancelled: { apply: neverStarted, leadsTo: ['finished'], because: 'the host cancelled the attempt' },
  },
  frontal: {
    ...whileOpen,
    face: {
      apply: frontalFace,
      leadsTo: ['frontal', 'finished'],
      because: 'a live frontal face is compared; a passive score below the limit ends the attempt',
    },
    'no-face': {
      apply: frontalNoFace,
      leadsTo: ['frontal', 'finished'],
      because: 'no face is in view; the next face starts again; six seconds without any face end the attempt',
    },
    'several-faces': { apply: frontalSeveral, leadsTo: ['paused'], because: 'two faces pause the attempt' },
    compared: {
      apply: frontalCompared,
      leadsTo: ['light', 'turn', 'staff', 'frontal', 'finished'],
      because: 'a match leads to the light if enabled, else to the turn or to staff; misses are limited',
    },
  },
  light: {
    ...whileTracked,
    face: {
      apply: lightFace,
      leadsTo: ['light', 'finished'],
      because: 'the same live face is compared at intervals; another face ends the attempt',
    },
    compared: {
      apply: lightCompared,
      leadsTo: ['light', 'finished'],
      because: 'the lit face must be the person; two misses end the attempt',
    },
    lit: {
      apply: lightJudged,
      leadsTo: ['turn', 'staff', 'return', 'light', 'finished'],
      because: 'an answer (or too strong light) leads on; a moved or faintly lit face repeats it; no answer ends it',
    },
  },
  turn: {
    ...whileTracked,
    face: {
      apply: turnFace,
      leadsTo: ['turn', 'finished'],
      because: 'the turning face is compared, and again when turned far enough; the wrong way or another face ends it',
    },
    compared: {
      apply: turnCompared,
      leadsTo: ['turn', 'return', 'finished'],
      because: 'a match of a frame turned far enough leads on; a different person ends the attempt',
    },
  },
  staff: {
    ...whileTracked,
    face: {
      apply: staffFace,
      leadsTo: ['staff', 'finished'],
      because: 'the same live face is compared again while staff look; another face ends the attempt',
    },
    compared: {
      apply: staffCompared,
      leadsTo: ['staff', 'finished'],
      because: 'the second match counts once staff have confirmed; misses are limited',
    },
    confirmed: {
      apply: staffConfirmed,
      leadsTo: ['staff', 'finished'],
      because: 'staff’s word counts once the face matched a second time',
    },
  },
  return: {
    ...whileTracked,
    face: {
      apply: returnFace,
      leadsTo: ['return', 'finished'],
      because: 'the same live face is compared on its way back, and again when frontal',
    },
    compared: {
      apply: returnCompared,
      leadsTo: ['return', 'finished'],
      because: 'the second match is the verdict; misses are limited; a different person ends the attempt',
    },
  },
  paused: {
    ...whileOpen,
    face: {
      apply: (state, event, policy) => resumed(state, event, policy),
      leadsTo: ['frontal', 'light', 'turn', 'staff', 'return', 'finished'],
      because: 'one face again: the stage continues with this frame; the light starts again',
    },
    'no-face': {
      apply: (state, event, policy) => resumed(state, event, policy),
      leadsTo: ['frontal', 'finished'],
      because: 'no face is left: the frontal stage waits; later stages have lost their face',
    },
    'several-faces': {
      apply: (state, event, policy) => resumed(state, event, policy),
      leadsTo: ['paused', 'finished'],
      because: 'still several faces; after the first match the tracked one must stay',
    },
    compared: {
      apply: forgetComparison,
      leadsTo: ['paused'],
      because: 'a comparison with a second face in view proves nothing',
    },
  },
  finished: {},
};

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
  return applied(state, event, policy);
}

/** By the table alone. Each cell is typed; the pair chosen here is the cell's own by construction. */
function applied(state: AttemptState, event: AttemptEvent, policy: VerificationPolicy): Step {
  const cell = transitionTable[state.name][event.type] as Transition<StateName, EventName> | undefined;
  return cell === undefined ? stay(state) : cell.apply(state, event, policy);
}

/** The paused stage continues with this frame; the light was not entirely seen, and starts again. */
function resumed(
  { under }: PausedState,
  event: EventOf<'face' | 'no-face' | 'several-faces'>,
  policy: VerificationPolicy,
): Step {
  if (under.name === 'light' && event.type === 'face') return resumeLight(under, event, policy);
  return applied(under, event, policy);
}

/** A match during a pause could be the other person's. */
function forgetComparison({ name, under }: PausedState): Step {
  const comparisons = 'comparisons' in under ? { comparisons: unasked(under.comparisons) } : {};
  const turned = 'turned' in under ? { turned: unasked(under.turned) } : {};
  return stay({ name, under: { ...under, ...comparisons, ...turned } as StageState });
}

/** The window is over, whatever the event. */
function concludeNow(state: StageState | PausedState, event: AttemptEvent, policy: VerificationPolicy): Step {
  const { facts } = state.name === 'paused' ? state.under : state;
  return finish(facts, Math.min(event.atMs, facts.startedAtMs + policy.windowMs), conclude(state), policy);
}

/** The verdict when the window or the camera ends before a match. */
function conclude(state: StageState | PausedState): Verdict {
  switch (state.name) {
    case 'frontal':
      return concludeFrontal(state);
    case 'light':
      return { outcome: 'LivenessFailed', reason: 'light-not-held' };
    case 'turn':
      return concludeTurn(state);
    case 'staff':
      return concludeStaff(state);
    case 'return':
      return concludeReturn(state);
    case 'paused':
      return concludePaused(state.under);
  }
}

function concludePaused(under: StageState): Verdict {
  if (under.name === 'frontal') return { outcome: 'NoMatch', reason: 'several-faces' };
  if ((under.name === 'return' || under.name === 'staff') && under.comparisons.misses > 0) return conclude(under);
  return { outcome: 'ChallengeFailed', reason: 'several-faces' };
}

function attemptFailed(
  state: StageState | PausedState,
  event: EventOf<'failed' | 'cancelled'>,
  policy: VerificationPolicy,
): Step {
  const stage = state.name === 'paused' ? state.under : state;
  const reason = event.type === 'failed' ? event.cause : 'cancelled';
  const outcome = stage.name === 'frontal' ? 'NoFace' : 'ChallengeFailed';
  return finish(stage.facts, event.atMs, { outcome, reason }, policy);
}
