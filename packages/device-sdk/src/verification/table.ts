import * as challenge from './challenge-handlers.ts';
import * as on from './handlers.ts';
import * as light from './light-handlers.ts';
import type { VerificationPolicy } from './policy.ts';
import * as staff from './staff-handlers.ts';
import type { EventName, EventOf, StateName, StateOf, Step } from './states.ts';

/** One cell: what happens, where it may lead, and why, in words that docs/device-sdk.md repeats. */
export interface Transition<S extends StateName, E extends EventName> {
  readonly apply: (state: StateOf<S>, event: EventOf<E>, policy: VerificationPolicy) => Step;
  readonly leadsTo: readonly StateName[];
  readonly because: string;
}
export type TransitionTable = {
  readonly [S in StateName]: { readonly [E in EventName]: Transition<S, E> };
};

const late = { apply: on.ignore, leadsTo: ['finished'], because: 'the verdict stands' } as const;

/**
 * The whole verification: every pair of state and event. The end of the ten-second window is the only rule outside it,
 * since it is the same in every stage (see `transition`).
 */
export const transitionTable: TransitionTable = {
  starting: {
    frame: { apply: on.firstFrame, leadsTo: ['frontal'], because: 'the first frame opens the window' },
    face: {
      apply: on.open(on.frontalFace),
      leadsTo: ['frontal', 'finished'],
      because: 'the first frame opens the window; an attack frame ends the attempt',
    },
    'no-face': { apply: on.open(on.frontalNoFace), leadsTo: ['frontal'], because: 'the first frame opens the window' },
    'several-faces': {
      apply: on.open(on.frontalSeveral),
      leadsTo: ['paused'],
      because: 'the first frame opens the window, with several people in it',
    },
    compared: { apply: on.ignore, leadsTo: ['starting'], because: 'no request is pending' },
    lit: { apply: on.ignore, leadsTo: ['starting'], because: 'no request is pending' },
    confirmed: { apply: on.ignore, leadsTo: ['starting'], because: 'staff were not asked' },
    tick: {
      apply: on.awaitFirstFrame,
      leadsTo: ['starting', 'finished'],
      because: 'no frame in time counts as no camera',
    },
    ended: { apply: on.neverStarted, leadsTo: ['finished'], because: 'the camera gave no frame' },
    failed: { apply: on.startFailed, leadsTo: ['finished'], because: 'no camera: NoFace with its reason' },
    cancelled: { apply: on.startCancelled, leadsTo: ['finished'], because: 'the host cancelled the attempt' },
  },
  frontal: {
    frame: { apply: on.ignore, leadsTo: ['frontal'], because: 'the window is open' },
    face: {
      apply: on.frontalFace,
      leadsTo: ['frontal', 'finished'],
      because: 'a live frontal face is compared; a passive score below the limit ends the attempt',
    },
    'no-face': {
      apply: on.frontalNoFace,
      leadsTo: ['frontal', 'finished'],
      because: 'no face is in view; the next face starts again; six seconds without any face end the attempt',
    },
    'several-faces': { apply: on.frontalSeveral, leadsTo: ['paused'], because: 'two faces pause the attempt' },
    compared: {
      apply: on.frontalCompared,
      leadsTo: ['light', 'turn', 'staff', 'frontal', 'finished'],
      because: 'a match leads to the light if enabled, else to the turn or to staff; misses are limited',
    },
    lit: { apply: on.ignore, leadsTo: ['frontal'], because: 'no request is pending' },
    confirmed: { apply: on.ignore, leadsTo: ['frontal'], because: 'staff were not asked' },
    tick: { apply: on.windowEnds, leadsTo: ['frontal'], because: 'only the end of the window counts' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: same as the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'no camera: NoFace with its reason' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host cancelled the attempt' },
  },
  light: {
    frame: { apply: on.ignore, leadsTo: ['light'], because: 'the window is open' },
    face: {
      apply: light.lightFace,
      leadsTo: ['light', 'finished'],
      because: 'the same live face is compared at intervals; another face ends the attempt',
    },
    'no-face': {
      apply: challenge.trackedFaceLost,
      leadsTo: ['finished'],
      because: 'a lost face could return as another one',
    },
    'several-faces': {
      apply: challenge.trackedSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'two faces pause the attempt; a lost or swapped face ends it',
    },
    compared: {
      apply: light.lightCompared,
      leadsTo: ['light', 'finished'],
      because: 'the lit face must be the person; two misses end the attempt',
    },
    lit: {
      apply: light.lightJudged,
      leadsTo: ['turn', 'staff', 'return', 'light', 'finished'],
      because: 'an answer (or too strong light) leads on; a moved or faintly lit face repeats it; no answer ends it',
    },
    confirmed: { apply: on.ignore, leadsTo: ['light'], because: 'staff were not asked' },
    tick: { apply: on.windowEnds, leadsTo: ['light'], because: 'only the end of the window counts' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: same as the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the turn was not made: ChallengeFailed' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host cancelled the attempt' },
  },
  turn: {
    frame: { apply: on.ignore, leadsTo: ['turn'], because: 'the window is open' },
    face: {
      apply: challenge.turnFace,
      leadsTo: ['turn', 'finished'],
      because: 'the turning face is compared, and again when turned far enough; the wrong way or another face ends it',
    },
    'no-face': {
      apply: challenge.trackedFaceLost,
      leadsTo: ['finished'],
      because: 'a lost face could return as another one',
    },
    'several-faces': {
      apply: challenge.trackedSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'two faces pause the attempt; a lost or swapped face ends it',
    },
    compared: {
      apply: challenge.turnCompared,
      leadsTo: ['turn', 'return', 'finished'],
      because: 'a match of a frame turned far enough leads on; a different person ends the attempt',
    },
    lit: { apply: on.ignore, leadsTo: ['turn'], because: 'no request is pending' },
    confirmed: { apply: on.ignore, leadsTo: ['turn'], because: 'staff were not asked' },
    tick: { apply: on.windowEnds, leadsTo: ['turn'], because: 'only the end of the window counts' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: same as the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the turn was not made: ChallengeFailed' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host cancelled the attempt' },
  },
  staff: {
    frame: { apply: on.ignore, leadsTo: ['staff'], because: 'the window is open' },
    face: {
      apply: staff.staffFace,
      leadsTo: ['staff', 'finished'],
      because: 'the same live face is compared again while staff look; another face ends the attempt',
    },
    'no-face': {
      apply: challenge.trackedFaceLost,
      leadsTo: ['finished'],
      because: 'a lost face could return as another one',
    },
    'several-faces': {
      apply: challenge.trackedSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'two faces pause the attempt; a lost or swapped face ends it',
    },
    compared: {
      apply: staff.staffCompared,
      leadsTo: ['staff', 'finished'],
      because: 'the second match counts once staff have confirmed; misses are limited',
    },
    lit: { apply: on.ignore, leadsTo: ['staff'], because: 'no request is pending' },
    confirmed: {
      apply: staff.staffConfirmed,
      leadsTo: ['staff', 'finished'],
      because: 'staff’s word counts once the face matched a second time',
    },
    tick: { apply: on.windowEnds, leadsTo: ['staff'], because: 'only the end of the window counts' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: same as the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'staff did not confirm: ChallengeFailed' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host cancelled the attempt' },
  },
  return: {
    frame: { apply: on.ignore, leadsTo: ['return'], because: 'the window is open' },
    face: {
      apply: challenge.returnFace,
      leadsTo: ['return', 'finished'],
      because: 'the same live face is compared on its way back, and again when frontal',
    },
    'no-face': {
      apply: challenge.trackedFaceLost,
      leadsTo: ['finished'],
      because: 'a lost face could return as another one',
    },
    'several-faces': {
      apply: challenge.trackedSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'two faces pause the attempt; a lost or swapped face ends it',
    },
    compared: {
      apply: challenge.returnCompared,
      leadsTo: ['return', 'finished'],
      because: 'the second match is the verdict; misses are limited; a different person ends the attempt',
    },
    lit: { apply: on.ignore, leadsTo: ['return'], because: 'no request is pending' },
    confirmed: { apply: on.ignore, leadsTo: ['return'], because: 'staff were not asked' },
    tick: { apply: on.windowEnds, leadsTo: ['return'], because: 'only the end of the window counts' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: same as the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the second match is missing: ChallengeFailed' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host cancelled the attempt' },
  },
  paused: {
    frame: { apply: on.ignore, leadsTo: ['paused'], because: 'the window is open' },
    face: {
      apply: on.resumeFace,
      leadsTo: ['frontal', 'light', 'turn', 'staff', 'return', 'finished'],
      because: 'one face again: the stage continues with this frame; the light starts again',
    },
    'no-face': {
      apply: on.resumeNoFace,
      leadsTo: ['frontal', 'finished'],
      because: 'no face is left: the frontal stage waits; later stages have lost their face',
    },
    'several-faces': {
      apply: on.stillSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'still several faces; after the first match the tracked one must stay',
    },
    compared: {
      apply: on.forgetComparison,
      leadsTo: ['paused'],
      because: 'a comparison with a second face in view proves nothing',
    },
    lit: { apply: on.ignore, leadsTo: ['paused'], because: 'the light starts again once only one face is in view' },
    confirmed: {
      apply: on.ignore,
      leadsTo: ['paused'],
      because: 'with a second face in view the confirmation is ambiguous',
    },
    tick: { apply: on.windowEnds, leadsTo: ['paused'], because: 'the window continues while paused' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: same as the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'same as in the paused stage' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host cancelled the attempt' },
  },
  finished: {
    frame: late,
    face: late,
    'no-face': late,
    'several-faces': late,
    compared: late,
    lit: late,
    confirmed: late,
    tick: late,
    ended: late,
    failed: late,
    cancelled: late,
  },
};
