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
      because: 'the first frame opens the window; an attack frame ends it at once',
    },
    'no-face': { apply: on.open(on.frontalNoFace), leadsTo: ['frontal'], because: 'the first frame opens the window' },
    'several-faces': {
      apply: on.open(on.frontalSeveral),
      leadsTo: ['paused'],
      because: 'the first frame opens the window, and several people are in it',
    },
    compared: { apply: on.ignore, leadsTo: ['starting'], because: 'nothing was asked for' },
    lit: { apply: on.ignore, leadsTo: ['starting'], because: 'nothing was asked for' },
    confirmed: { apply: on.ignore, leadsTo: ['starting'], because: 'nobody was asked to' },
    tick: {
      apply: on.awaitFirstFrame,
      leadsTo: ['starting', 'finished'],
      because: 'a camera that gives no frame in time is no camera',
    },
    ended: { apply: on.neverStarted, leadsTo: ['finished'], because: 'the camera gave no frame' },
    failed: { apply: on.startFailed, leadsTo: ['finished'], because: 'no camera: NoFace with its reason' },
    cancelled: { apply: on.startCancelled, leadsTo: ['finished'], because: 'the host stopped the attempt' },
  },
  frontal: {
    frame: { apply: on.ignore, leadsTo: ['frontal'], because: 'the window is open' },
    face: {
      apply: on.frontalFace,
      leadsTo: ['frontal', 'finished'],
      because: 'a live frontal face is compared; a score that does not hold ends the attempt',
    },
    'no-face': { apply: on.frontalNoFace, leadsTo: ['frontal'], because: 'nobody is there; the next face starts anew' },
    'several-faces': { apply: on.frontalSeveral, leadsTo: ['paused'], because: 'two faces pause the attempt' },
    compared: {
      apply: on.frontalCompared,
      leadsTo: ['light', 'turn', 'staff', 'frontal', 'finished'],
      because:
        'a match asks for the light where the screen gives it, else for the turn, or for staff instead; a miss is tried again, not without end',
    },
    lit: { apply: on.ignore, leadsTo: ['frontal'], because: 'nothing was asked for' },
    confirmed: { apply: on.ignore, leadsTo: ['frontal'], because: 'nobody was asked to' },
    tick: { apply: on.windowEnds, leadsTo: ['frontal'], because: 'only the end of the window matters' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: as at the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'no camera: NoFace with its reason' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host stopped the attempt' },
  },
  light: {
    frame: { apply: on.ignore, leadsTo: ['light'], because: 'the window is open' },
    face: {
      apply: light.lightFace,
      leadsTo: ['light', 'finished'],
      because: 'the same live face is compared now and then under the light; another face ends it',
    },
    'no-face': {
      apply: challenge.trackedFaceLost,
      leadsTo: ['finished'],
      because: 'a face that is gone may return as another',
    },
    'several-faces': {
      apply: challenge.trackedSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'two faces pause the attempt; a lost or swapped one ends it',
    },
    compared: {
      apply: light.lightCompared,
      leadsTo: ['light', 'finished'],
      because: 'the face under the light must be the person; two misses end it',
    },
    lit: {
      apply: light.lightJudged,
      leadsTo: ['turn', 'staff', 'return', 'light', 'finished'],
      because:
        'an answer, or light too strong to see one, leads to the turn or to staff; an answer alone to the second match where it stands for the turn; a face that was not held still, or lit too faintly to tell, is asked once more; no answer ends it',
    },
    confirmed: { apply: on.ignore, leadsTo: ['light'], because: 'nobody was asked to' },
    tick: { apply: on.windowEnds, leadsTo: ['light'], because: 'only the end of the window matters' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: as at the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the turn was not made: ChallengeFailed' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host stopped the attempt' },
  },
  turn: {
    frame: { apply: on.ignore, leadsTo: ['turn'], because: 'the window is open' },
    face: {
      apply: challenge.turnFace,
      leadsTo: ['turn', 'finished'],
      because:
        'the same live face is compared as it turns, and in the frame that is far enough and has depth; the wrong way or another face ends it',
    },
    'no-face': {
      apply: challenge.trackedFaceLost,
      leadsTo: ['finished'],
      because: 'a face that is gone may return as another',
    },
    'several-faces': {
      apply: challenge.trackedSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'two faces pause the attempt; a lost or swapped one ends it',
    },
    compared: {
      apply: challenge.turnCompared,
      leadsTo: ['turn', 'return', 'finished'],
      because: 'the match of the frame that was far enough leads on; whoever is not the person ends it',
    },
    lit: { apply: on.ignore, leadsTo: ['turn'], because: 'nothing was asked for' },
    confirmed: { apply: on.ignore, leadsTo: ['turn'], because: 'nobody was asked to' },
    tick: { apply: on.windowEnds, leadsTo: ['turn'], because: 'only the end of the window matters' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: as at the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the turn was not made: ChallengeFailed' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host stopped the attempt' },
  },
  staff: {
    frame: { apply: on.ignore, leadsTo: ['staff'], because: 'the window is open' },
    face: {
      apply: staff.staffFace,
      leadsTo: ['staff', 'finished'],
      because: 'the same live face is compared a second time while staff look; another face ends it',
    },
    'no-face': {
      apply: challenge.trackedFaceLost,
      leadsTo: ['finished'],
      because: 'a face that is gone may return as another',
    },
    'several-faces': {
      apply: challenge.trackedSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'two faces pause the attempt; a lost or swapped one ends it',
    },
    compared: {
      apply: staff.staffCompared,
      leadsTo: ['staff', 'finished'],
      because: 'the second match counts once staff have confirmed; misses end it after a few',
    },
    lit: { apply: on.ignore, leadsTo: ['staff'], because: 'nothing was asked for' },
    confirmed: {
      apply: staff.staffConfirmed,
      leadsTo: ['staff', 'finished'],
      because: 'staff’s word counts once the face matched a second time',
    },
    tick: { apply: on.windowEnds, leadsTo: ['staff'], because: 'only the end of the window matters' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: as at the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'nobody confirmed: ChallengeFailed' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host stopped the attempt' },
  },
  return: {
    frame: { apply: on.ignore, leadsTo: ['return'], because: 'the window is open' },
    face: {
      apply: challenge.returnFace,
      leadsTo: ['return', 'finished'],
      because: 'the same live face is compared on its way back, and frontal again a second time',
    },
    'no-face': {
      apply: challenge.trackedFaceLost,
      leadsTo: ['finished'],
      because: 'a face that is gone may return as another',
    },
    'several-faces': {
      apply: challenge.trackedSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'two faces pause the attempt; a lost or swapped one ends it',
    },
    compared: {
      apply: challenge.returnCompared,
      leadsTo: ['return', 'finished'],
      because: 'the second match is the verdict; misses end it after a few, whoever is not the person at once',
    },
    lit: { apply: on.ignore, leadsTo: ['return'], because: 'nothing was asked for' },
    confirmed: { apply: on.ignore, leadsTo: ['return'], because: 'nobody was asked to' },
    tick: { apply: on.windowEnds, leadsTo: ['return'], because: 'only the end of the window matters' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: as at the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the second match is missing: ChallengeFailed' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host stopped the attempt' },
  },
  paused: {
    frame: { apply: on.ignore, leadsTo: ['paused'], because: 'the window is open' },
    face: {
      apply: on.resumeFace,
      leadsTo: ['frontal', 'light', 'turn', 'staff', 'return', 'finished'],
      because: 'alone again: the stage goes on with this frame, the light anew',
    },
    'no-face': {
      apply: on.resumeNoFace,
      leadsTo: ['frontal', 'finished'],
      because: 'everybody left: the frontal stage waits, the later ones lost their face',
    },
    'several-faces': {
      apply: on.stillSeveral,
      leadsTo: ['paused', 'finished'],
      because: 'still several; after the first match the tracked one must stay',
    },
    compared: {
      apply: on.forgetComparison,
      leadsTo: ['paused'],
      because: 'a comparison beside a second face proves nothing',
    },
    lit: { apply: on.ignore, leadsTo: ['paused'], because: 'the light is asked for anew when the face is alone again' },
    confirmed: { apply: on.ignore, leadsTo: ['paused'], because: 'beside a second face it is of nobody' },
    tick: { apply: on.windowEnds, leadsTo: ['paused'], because: 'the window runs on while paused' },
    ended: { apply: on.windowEnds, leadsTo: ['finished'], because: 'no more frames: as at the end of the window' },
    failed: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'as in the stage that is paused' },
    cancelled: { apply: on.attemptFailed, leadsTo: ['finished'], because: 'the host stopped the attempt' },
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
