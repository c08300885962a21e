import { minifasnetCalibration } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import type { LightAbstention } from '../light/judge.ts';
import {
  AT,
  back,
  cancelled,
  compared,
  confirmed,
  ended,
  face,
  facts,
  failed,
  firstFrame,
  frontal,
  judged,
  lit,
  noFace,
  OPENED,
  paused,
  samples,
  several,
  staff,
  tick,
  turn,
} from '../testing/attempt-fixtures.ts';
import { openAttempt, transition } from './machine.ts';
import { STANDARD_POLICY } from './policy.ts';
import {
  type ActiveCheck,
  type AttemptEvent,
  type AttemptState,
  type EventName,
  eventNames,
  type Facts,
  type LightState,
  noComparisons,
  type StateName,
  stateNames,
} from './states.ts';
import { transitionTable } from './table.ts';

/**
 * An example of a cell: description, state before, event, state after, verdict if it ends, whether a comparison is
 * requested.
 */
type Example = readonly [about: string, state: AttemptState, event: AttemptEvent, after: StateName | string];

const starting = openAttempt({
  active: 'head-turn',
  direction: 'left',
  passive: minifasnetCalibration,
  lightAsked: false,
}).state;
const done: AttemptState = {
  name: 'finished',
  verdict: { outcome: 'NoFace', reason: 'no-face' },
  facts: null,
  finishedAtMs: AT,
};
const pending = { ...noComparisons, pending: true, lastAtMs: AT };
const missed = (misses: number, isPending = true) => ({
  ...noComparisons,
  pending: isPending,
  lastAtMs: AT - 2_000,
  misses,
});
/** A frame was compared without a match, and is held. */
const held = { ...missed(1, false), gathers: true };
const since = (ms: number) => ({ ...noComparisons, lastAtMs: AT - ms });
const onTheWay = { completes: false, telling: true };
const farEnough = { completes: true, telling: true };
const tooFar = { completes: true, telling: false };
const missedBack = back({ comparisons: missed(1, false) });
const litSince = (ms: number) => lit({ comparisons: since(ms) });
const answered = judged({ outcome: 'answered' });
const instead = (active: ActiveCheck, over: Partial<Facts> = {}): Facts => facts({ active, ...over });
const litInstead = (over: Partial<LightState> = {}) =>
  lit({ facts: instead('light', { lightAsked: true, lightEnteredAtMs: OPENED + 1_000 }), ...over });
const litBack = (outcome: 'answered' | null = 'answered') =>
  back({
    facts: instead('light', { lightAsked: true, light: outcome === null ? null : { outcome } }),
    comparisons: pending,
  });
const silent = judged({ outcome: 'not-answered' });
const abstained = (reason: LightAbstention) => judged({ outcome: 'abstained', reason });
const blank = { estimate: [], everScored: false };
/** No face so far. */
const unseen = frontal({ facts: facts({ ...blank, faceSeenAtMs: null, frontalSeen: false }) });
const absent = { passive: null, estimate: [], everScored: false };

/**
 * `→ turn`: the state after; `light + light`: requests a sequence; `Match/verified`: ends so; `turn + compare turned`:
 * requests a comparison, a frontal one of a frame, of the first of a mean, or of the mean.
 */
const examples: { readonly [S in StateName]: { readonly [E in EventName]: readonly Example[] } } = {
  starting: {
    frame: [['opens the window before it is looked at', starting, firstFrame, 'frontal']],
    face: [
      ['opens the window', starting, face(), 'frontal'],
      ['a first attack frame ends it', starting, face({ passive: 0.1 }), 'LivenessFailed/attack-frame'],
      [
        'without a passive check the first frontal frame is compared',
        openAttempt({ active: 'head-turn', direction: 'left', passive: null, lightAsked: false }).state,
        face({ passive: null }),
        'frontal + compare frontal first',
      ],
    ],
    'no-face': [['opens the window', starting, noFace, 'frontal']],
    'several-faces': [['opens it paused', starting, several('new'), 'paused']],
    compared: [['was not asked for', starting, compared(true), 'starting']],
    lit: [['was not asked for', starting, answered, 'starting']],
    confirmed: [['nobody was asked to', starting, confirmed, 'starting']],
    tick: [
      ['waits for the camera', starting, tick(9_999), 'starting'],
      ['not for ever', starting, tick(10_000), 'NoFace/no-frames'],
    ],
    ended: [['no frame ever', starting, ended, 'NoFace/no-frames']],
    failed: [
      ['permission denied', starting, failed('camera-denied'), 'NoFace/camera-denied'],
      ['camera broken', starting, failed('camera-failed'), 'NoFace/camera-failed'],
    ],
    cancelled: [['host stops', starting, cancelled, 'NoFace/cancelled']],
  },
  frontal: {
    frame: [['another one', frontal(), firstFrame, 'frontal']],
    face: [
      ['live and frontal', frontal(), face(), 'frontal + compare frontal first'],
      ['exactly 12° is frontal', frontal(), face({ yawDeg: -12 }), 'frontal + compare frontal first'],
      ['beyond 12° is not', frontal(), face({ yawDeg: 12.1 }), 'frontal'],
      ['an unscorable frame does not help', frontal(), face({ passive: null }), 'frontal'],
      [
        'four scored frames are no estimate',
        frontal({ facts: facts({ estimate: samples(0.95, 3) }) }),
        face(),
        'frontal',
      ],
      [
        'the fifth is',
        frontal({ facts: facts({ estimate: samples(0.95, 4) }) }),
        face(),
        'frontal + compare frontal first',
      ],
      ['a new face starts anew', frontal(), face({ track: 'new' }), 'frontal'],
      ['one comparison at a time', frontal({ comparisons: pending }), face(), 'frontal'],
      [
        'not sooner than 300 ms',
        frontal({ comparisons: { ...missed(1, false), lastAtMs: AT - 299 } }),
        face(),
        'frontal',
      ],
      [
        'after 300 ms',
        frontal({ comparisons: { ...missed(1, false), lastAtMs: AT - 300 } }),
        face(),
        'frontal + compare frontal first',
      ],
      [
        'of a settled face with the frames before',
        frontal({ comparisons: held }),
        face(),
        'frontal + compare frontal mean',
      ],
      [
        'at the limit of settled',
        frontal({ comparisons: held }),
        face({ motion: 0.15 }),
        'frontal + compare frontal mean',
      ],
      [
        'of one that moved anew',
        frontal({ comparisons: held }),
        face({ motion: 0.16 }),
        'frontal + compare frontal first',
      ],
      [
        'nor with frames from before it was unseen',
        frontal({ comparisons: held }),
        face({ motion: null }),
        'frontal + compare frontal first',
      ],
      [
        'nor where the motion is no number',
        frontal({ comparisons: held }),
        face({ motion: Number.NaN }),
        'frontal + compare frontal first',
      ],
      [
        'a mean of 0.6 holds',
        frontal({ facts: facts({ estimate: samples(0.6, 4) }) }),
        face({ passive: 0.6 }),
        'frontal + compare frontal first',
      ],
      [
        'a mean below 0.6 ends it',
        frontal({ facts: facts({ estimate: samples(0.6, 4) }) }),
        face({ passive: 0.59 }),
        'LivenessFailed/passive-below-threshold',
      ],
      ['one attack frame ends it', frontal(), face({ passive: 0.1 }), 'LivenessFailed/attack-frame'],
      ['0.11 is no attack frame, but is not compared', frontal(), face({ passive: 0.11 }), 'frontal'],
      ['nor is 0.59', frontal(), face({ passive: 0.59 }), 'frontal'],
      ['0.6 holds by itself', frontal(), face({ passive: 0.6 }), 'frontal + compare frontal first'],
      ['at the end of the window', frontal(), face({ atMs: OPENED + 10_000 }), 'LivenessFailed/too-few-scored-frames'],
      [
        'no passive check',
        frontal({ facts: facts(absent) }),
        face({ passive: null }),
        'frontal + compare frontal first',
      ],
    ],
    'no-face': [
      ['nobody there', frontal(), noFace, 'frontal'],
      ['nobody yet', unseen, { ...noFace, atMs: OPENED + 5_999 }, 'frontal'],
      ['nobody for six seconds', unseen, { ...noFace, atMs: OPENED + 6_000 }, 'NoFace/no-face'],
      ['a person who was there may come back', frontal(), { ...noFace, atMs: OPENED + 9_999 }, 'frontal'],
    ],
    'several-faces': [['pauses', frontal(), several(), 'paused']],
    compared: [
      [
        'the person, where staff stand for the turn',
        frontal({ facts: instead('staff'), comparisons: pending }),
        compared(true),
        'staff',
      ],
      [
        'the person, where the light stands for it',
        frontal({ facts: instead('light', { lightAsked: true }), comparisons: pending }),
        compared(true),
        'light + light',
      ],
      [
        'a light that nobody shows stands for nothing',
        frontal({ facts: instead('light'), comparisons: pending }),
        compared(true),
        'ChallengeFailed/no-alternative',
      ],
      ...(['staff', 'light'] as const).map(
        (active): Example => [
          `without a passive check ${active} does not`,
          frontal({ facts: instead(active, { ...absent, lightAsked: true }), comparisons: pending }),
          compared(true),
          'ChallengeFailed/no-alternative',
        ],
      ),
      ['a match asks for the turn', frontal({ comparisons: pending }), compared(true), 'turn'],
      [
        'or for the light before it',
        frontal({ comparisons: pending, facts: facts({ lightAsked: true }) }),
        compared(true),
        'light + light',
      ],
      ['a miss is tried again', frontal({ comparisons: pending }), compared(false), 'frontal'],
      ['the eighth miss ends it', frontal({ comparisons: missed(7) }), compared(false), 'NoMatch/below-threshold'],
      ['an answer nobody asked for', frontal(), compared(true), 'frontal'],
    ],
    lit: [['was not asked for', frontal(), silent, 'frontal']],
    confirmed: [['nobody was asked to', frontal(), confirmed, 'frontal']],
    tick: [
      ['within the window', frontal(), tick(OPENED + 9_999), 'frontal'],
      ['nobody ever', unseen, tick(OPENED + 10_000), 'NoFace/no-face'],
      ['never scorable', frontal({ facts: facts(blank) }), tick(OPENED + 10_000), 'LivenessFailed/never-scorable'],
      [
        'compared in vain',
        frontal({ comparisons: missed(1, false) }),
        tick(OPENED + 10_000),
        'NoMatch/below-threshold',
      ],
      [
        'never frontal',
        frontal({ facts: facts({ frontalSeen: false }) }),
        tick(OPENED + 10_000),
        'NoMatch/not-frontal',
      ],
      ['never an estimate', frontal(), tick(OPENED + 10_000), 'LivenessFailed/too-few-scored-frames'],
      [
        'no passive check, never compared',
        frontal({ facts: facts(absent) }),
        tick(OPENED + 10_000),
        'NoMatch/window-ended',
      ],
    ],
    ended: [
      ['as at the end of the window', frontal({ comparisons: missed(1, false) }), ended, 'NoMatch/below-threshold'],
    ],
    failed: [
      ['camera', frontal(), failed('camera-failed'), 'NoFace/camera-failed'],
      ['engine', frontal(), failed('engine-failed'), 'NoFace/engine-failed'],
    ],
    cancelled: [['host stops', frontal(), cancelled, 'NoFace/cancelled']],
  },
  light: {
    frame: [['another one', lit(), firstFrame, 'light']],
    face: [
      ['the face is compared', lit(), face(), 'light + compare frontal frame'],
      ['not sooner than 900 ms', litSince(899), face(), 'light'],
      ['after 900 ms', litSince(900), face(), 'light + compare frontal frame'],
      ['one comparison at a time', lit({ comparisons: pending }), face(), 'light'],
      ['not where it looks away', lit(), face({ yawDeg: 12.1 }), 'light'],
      ['nor unscored', lit(), face({ passive: null }), 'light'],
      ['nor where the frame does not hold by itself', lit(), face({ passive: 0.59 }), 'light'],
      [
        'no passive check',
        lit({ facts: facts({ ...absent, lightAsked: true }) }),
        face({ passive: null }),
        'light + compare frontal frame',
      ],
      ['no direction was asked for yet', lit(), face({ yawDeg: -30 }), 'light'],
      ['another face', lit(), face({ track: 'new' }), 'ChallengeFailed/face-swapped'],
      ['an attack frame', lit(), face({ passive: 0.1 }), 'LivenessFailed/attack-frame'],
      [
        'the estimate sinks',
        lit({ facts: facts({ estimate: samples(0.6) }) }),
        face({ passive: 0.3 }),
        'LivenessFailed/passive-below-threshold',
      ],
      ['too late', lit(), face({ atMs: OPENED + 10_000 }), 'LivenessFailed/light-not-held'],
    ],
    'no-face': [['gone', lit(), noFace, 'ChallengeFailed/face-lost']],
    'several-faces': [
      ['pauses', lit(), several('same'), 'paused'],
      ['gone among others', lit(), several('lost'), 'ChallengeFailed/face-lost'],
      ['swapped', lit(), several('new'), 'ChallengeFailed/face-swapped'],
    ],
    compared: [
      ['was not asked for', lit(), compared(false), 'light'],
      ['the person', lit({ comparisons: pending }), compared(true), 'light'],
      ['one miss under coloured light', lit({ comparisons: pending }), compared(false), 'light'],
      ['two are another', lit({ comparisons: missed(1) }), compared(false), 'ChallengeFailed/face-swapped'],
    ],
    lit: [
      ['an answer leads on', lit(), answered, 'turn'],
      ['strong light does', lit(), abstained('too-bright'), 'turn'],
      ['an answer leads to staff instead', lit({ facts: instead('staff', { lightAsked: true }) }), answered, 'staff'],
      ['an answer stands for the turn', litInstead(), answered, 'return'],
      ['strong light does not', litInstead(), abstained('too-bright'), 'light + light'],
      ['nor twice', litInstead({ rounds: 2 }), abstained('too-bright'), 'LivenessFailed/light-not-held'],
      ['nor does silence', litInstead(), silent, 'LivenessFailed/light-not-answered'],
      ['no answer ends it', lit(), silent, 'LivenessFailed/light-not-answered'],
      ['who moved is asked once more', lit(), abstained('moved'), 'light + light'],
      ['where frames are missing too', lit(), abstained('too-few-frames'), 'light + light'],
      ['where strong light hides the order too', lit(), abstained('faint'), 'light + light'],
      ['where it burns the face out too', lit(), abstained('burnt-out'), 'light + light'],
      ['an answer of nobody in particular too', lit({ seenAsPerson: false }), answered, 'light + light'],
      ['not for ever', lit({ rounds: 2 }), abstained('moved'), 'LivenessFailed/light-not-held'],
      ['nor in strong light', lit({ rounds: 2 }), abstained('faint'), 'LivenessFailed/light-not-answered'],
      ['nor an unseen answer', lit({ rounds: 2, seenAsPerson: false }), answered, 'LivenessFailed/light-not-held'],
      [
        'an answer after the window',
        lit(),
        { type: 'lit', atMs: OPENED + 10_000, verdict: { outcome: 'answered' } },
        'LivenessFailed/light-not-held',
      ],
    ],
    confirmed: [['nobody was asked to', lit(), confirmed, 'light']],
    tick: [
      ['within the window', lit(), tick(OPENED + 9_999), 'light'],
      ['never held still', lit(), tick(OPENED + 10_000), 'LivenessFailed/light-not-held'],
    ],
    ended: [['as at the end of the window', lit(), ended, 'LivenessFailed/light-not-held']],
    failed: [['camera', lit(), failed(), 'ChallengeFailed/camera-failed']],
    cancelled: [['host stops', lit(), cancelled, 'ChallengeFailed/cancelled']],
  },
  turn: {
    frame: [['another one', turn(), firstFrame, 'turn']],
    face: [
      ['not turned yet', turn(), face({ yawDeg: 9.9 }), 'turn'],
      ['turned, not far enough', turn(), face({ yawDeg: 10 }), 'turn + compare turned'],
      [
        'right is negative',
        turn({ facts: facts({ direction: 'right' }) }),
        face({ yawDeg: -10 }),
        'turn + compare turned',
      ],
      ['one comparison at a time', turn({ turned: pending }), face({ yawDeg: 15 }), 'turn'],
      ['not sooner than 300 ms', turn({ turned: since(299) }), face({ yawDeg: 24.9, parallax: 0.2 }), 'turn'],
      ['after 300 ms', turn({ turned: since(300) }), face({ yawDeg: 24.9, parallax: 0.2 }), 'turn + compare turned'],
      ['an unscorable frame is not compared', turn(), face({ yawDeg: 15, passive: null }), 'turn'],
      ['far enough, with depth', turn(), face({ yawDeg: 25, parallax: 0.08 }), 'turn + compare turned'],
      [
        'which does not wait',
        turn({ turned: since(1) }),
        face({ yawDeg: 25, parallax: 0.08 }),
        'turn + compare turned',
      ],
      ['but for an answer', turn({ turned: pending }), face({ yawDeg: 25, parallax: 0.08 }), 'turn'],
      [
        'and at its second try',
        turn({ turned: since(299), asked: tooFar }),
        face({ yawDeg: 45, parallax: 0.2 }),
        'turn',
      ],
      [
        'its second try',
        turn({ turned: since(300), asked: tooFar }),
        face({ yawDeg: 45, parallax: 0.2 }),
        'turn + compare turned',
      ],
      ['flat is compared as on the way', turn(), face({ yawDeg: 30, parallax: 0.079 }), 'turn + compare turned'],
      ['too far round and flat', turn(), face({ yawDeg: 36, parallax: 0.079 }), 'turn'],
      ['as wide as a turned head', turn(), face({ yawDeg: 25, parallax: 0.2, aspect: 0.664 }), 'turn + compare turned'],
      [
        'narrow as a turned sheet',
        turn({ turned: since(1) }),
        face({ yawDeg: 25, parallax: 0.2, aspect: 0.663 }),
        'turn',
      ],
      [
        'a width that is no number',
        turn({ turned: since(1) }),
        face({ yawDeg: 30, parallax: 0.2, aspect: Number.NaN }),
        'turn',
      ],
      [
        'a width that was never seen from the front',
        turn({ turned: since(1), facts: facts({ frontalAspect: null }) }),
        face({ yawDeg: 30, parallax: 0.2 }),
        'turn',
      ],
      ['a depth that is no number', turn({ turned: since(1) }), face({ yawDeg: 30, parallax: Number.NaN }), 'turn'],
      ['an angle that is no number', turn(), face({ yawDeg: Number.NaN, parallax: 0.2 }), 'ChallengeFailed/wrong-way'],
      ['an unscorable frame does not help', turn(), face({ yawDeg: 30, parallax: 0.2, passive: null }), 'turn'],
      [
        'too few scored frames of its own',
        turn({ scoredFrames: 1, turned: since(1) }),
        face({ yawDeg: 30, parallax: 0.2 }),
        'turn',
      ],
      [
        'a frame that sags while turned',
        turn({ turned: since(1) }),
        face({ yawDeg: 30, parallax: 0.2, passive: 0.3 }),
        'turn + compare turned',
      ],
      [
        'the third is enough',
        turn({ scoredFrames: 2, turned: since(1) }),
        face({ yawDeg: 30, parallax: 0.2 }),
        'turn + compare turned',
      ],
      [
        'no passive check',
        turn({ scoredFrames: 0, turned: since(1), facts: facts(absent) }),
        face({ yawDeg: 30, parallax: 0.2, passive: null }),
        'turn + compare turned',
      ],
      ['11.9° the wrong way is still a look', turn(), face({ yawDeg: -11.9 }), 'turn'],
      ['12° is not', turn(), face({ yawDeg: -12 }), 'ChallengeFailed/wrong-way'],
      ['the wrong way needs no score', turn(), face({ yawDeg: -12, passive: null }), 'ChallengeFailed/wrong-way'],
      [
        'the wrong way without a passive check',
        turn({ facts: facts(absent) }),
        face({ yawDeg: -12 }),
        'ChallengeFailed/wrong-way',
      ],
      ['another face', turn(), face({ track: 'new' }), 'ChallengeFailed/face-swapped'],
      ['an attack frame', turn(), face({ passive: 0.05 }), 'LivenessFailed/attack-frame'],
      [
        'the estimate sinks',
        turn({ facts: facts({ estimate: samples(0.6) }) }),
        face({ passive: 0.3 }),
        'LivenessFailed/passive-below-threshold',
      ],
      ['too late', turn(), face({ yawDeg: 30, parallax: 0.2, atMs: OPENED + 10_000 }), 'ChallengeFailed/turn-not-made'],
    ],
    'no-face': [['gone', turn(), noFace, 'ChallengeFailed/face-lost']],
    'several-faces': [
      ['pauses', turn(), several('same'), 'paused'],
      ['gone among others', turn(), several('lost'), 'ChallengeFailed/face-lost'],
      ['swapped', turn(), several('new'), 'ChallengeFailed/face-swapped'],
    ],
    compared: [
      ['was not asked for', turn(), compared(true), 'turn'],
      ['the same person on the way', turn({ turned: pending, asked: onTheWay }), compared(true), 'turn'],
      [
        'another on the way',
        turn({ turned: pending, asked: onTheWay }),
        compared(false),
        'ChallengeFailed/face-swapped',
      ],
      ['the same person, far enough', turn({ turned: pending, asked: farEnough }), compared(true), 'return'],
      [
        'another, far enough',
        turn({ turned: pending, asked: farEnough }),
        compared(false),
        'ChallengeFailed/face-swapped',
      ],
      ['a miss too far round says nothing', turn({ turned: pending, asked: tooFar }), compared(false), 'turn'],
      ['a match there does', turn({ turned: pending, asked: tooFar }), compared(true), 'return'],
      [
        'a match after the window',
        turn({ turned: pending, asked: farEnough }),
        { ...compared(true), atMs: OPENED + 10_000 },
        'ChallengeFailed/turn-not-made',
      ],
    ],
    lit: [['was not asked for', turn(), silent, 'turn']],
    confirmed: [['nobody was asked to', turn(), confirmed, 'turn']],
    tick: [
      ['within the window', turn(), tick(OPENED + 9_999), 'turn'],
      ['never turned', turn(), tick(OPENED + 10_000), 'ChallengeFailed/turn-not-made'],
      ['turned as a sheet', turn({ reached: 'narrowed' }), tick(OPENED + 10_000), 'ChallengeFailed/narrowed'],
      ['turned flat', turn({ reached: 'without-parallax' }), tick(OPENED + 10_000), 'ChallengeFailed/no-parallax'],
      [
        'turned unscored',
        turn({ reached: 'without-liveness' }),
        tick(OPENED + 10_000),
        'ChallengeFailed/too-few-scored-frames',
      ],
      [
        'never seen to be the person',
        turn({ reached: 'uncompared' }),
        tick(OPENED + 10_000),
        'ChallengeFailed/turn-not-made',
      ],
    ],
    ended: [['as at the end of the window', turn(), ended, 'ChallengeFailed/turn-not-made']],
    failed: [['camera', turn(), failed(), 'ChallengeFailed/camera-failed']],
    cancelled: [['host stops', turn(), cancelled, 'ChallengeFailed/cancelled']],
  },
  staff: {
    frame: [['another one', staff(), firstFrame, 'staff']],
    face: [
      ['is compared while staff look', staff(), face(), 'staff + compare frontal first'],
      ['with the frames before', staff({ comparisons: held }), face(), 'staff + compare frontal mean'],
      ['not sooner than 300 ms', staff({ comparisons: since(299) }), face(), 'staff'],
      ['not where it looks away', staff(), face({ yawDeg: 12.1 }), 'staff'],
      ['wherever it looks: nobody asked', staff(), face({ yawDeg: -40 }), 'staff'],
      ['nor without scored frames of its own', staff({ scoredFrames: 1 }), face(), 'staff'],
      ['nor where the frame does not hold by itself', staff(), face({ passive: 0.59 }), 'staff'],
      ['an attack frame', staff({ confirmed: true }), face({ passive: 0.1 }), 'LivenessFailed/attack-frame'],
      [
        'the estimate sinks',
        staff({ facts: instead('staff', { estimate: samples(0.6) }) }),
        face({ passive: 0.3 }),
        'LivenessFailed/passive-below-threshold',
      ],
      ['another face', staff({ confirmed: true }), face({ track: 'new' }), 'ChallengeFailed/face-swapped'],
      [
        'another face after a miss',
        staff({ comparisons: missed(1, false) }),
        face({ track: 'new' }),
        'NoMatch/second-below-threshold',
      ],
    ],
    'no-face': [['gone', staff({ confirmed: true, matches: 1 }), noFace, 'ChallengeFailed/face-lost']],
    'several-faces': [
      ['pauses', staff(), several('same'), 'paused'],
      ['swapped', staff(), several('new'), 'ChallengeFailed/face-swapped'],
    ],
    compared: [
      ['was not asked for', staff({ confirmed: true }), compared(true), 'staff'],
      ['the person, whom nobody has confirmed', staff({ comparisons: pending }), compared(true), 'staff'],
      [
        'the person, who was confirmed',
        staff({ comparisons: pending, confirmed: true }),
        compared(true),
        'Match/staff-confirmed',
      ],
      ['a miss', staff({ comparisons: pending, confirmed: true }), compared(false), 'staff'],
      [
        'three are another, whatever staff say',
        staff({ comparisons: missed(2), confirmed: true }),
        compared(false),
        'NoMatch/second-below-threshold',
      ],
    ],
    lit: [['was not asked for', staff(), answered, 'staff']],
    confirmed: [
      ['before the second match', staff(), confirmed, 'staff'],
      ['after it', staff({ matches: 1 }), confirmed, 'Match/staff-confirmed'],
      [
        'after the window',
        staff({ matches: 1 }),
        { ...confirmed, atMs: OPENED + 10_000 },
        'ChallengeFailed/staff-not-confirmed',
      ],
    ],
    tick: [
      ['within the window', staff(), tick(OPENED + 9_999), 'staff'],
      ['nobody confirmed', staff({ matches: 1 }), tick(OPENED + 10_000), 'ChallengeFailed/staff-not-confirmed'],
      [
        'never compared again',
        staff({ confirmed: true }),
        tick(OPENED + 10_000),
        'ChallengeFailed/too-few-scored-frames',
      ],
      [
        'missed',
        staff({ confirmed: true, comparisons: missed(1, false) }),
        tick(OPENED + 10_000),
        'NoMatch/second-below-threshold',
      ],
    ],
    ended: [['as at the end of the window', staff(), ended, 'ChallengeFailed/staff-not-confirmed']],
    failed: [['camera', staff(), failed(), 'ChallengeFailed/camera-failed']],
    cancelled: [['staff or the host stop', staff(), cancelled, 'ChallengeFailed/cancelled']],
  },
  return: {
    frame: [['another one', back(), firstFrame, 'return']],
    face: [
      ['still turned', back(), face({ yawDeg: 12.1 }), 'return + compare turned'],
      ['not sooner than 300 ms', back({ turned: since(299) }), face({ yawDeg: 12.1 }), 'return'],
      ['still too far round', back(), face({ yawDeg: 36 }), 'return'],
      ['turned while the frontal one is compared', back({ comparisons: pending }), face({ yawDeg: 15 }), 'return'],
      ['frontal while the turned one is compared', back({ turned: pending }), face(), 'return'],
      ['frontal right after a turned one', back({ turned: since(1) }), face(), 'return + compare frontal first'],
      ['a turned frame without a score', back(), face({ yawDeg: 15, passive: null }), 'return'],
      ['frontal again', back(), face({ yawDeg: 12 }), 'return + compare frontal first'],
      [
        'of a settled face with the frames before',
        back({ comparisons: held }),
        face(),
        'return + compare frontal mean',
      ],
      ['of one that moved anew', back({ comparisons: held }), face({ motion: 0.16 }), 'return + compare frontal first'],
      ['a frame that does not hold by itself', back(), face({ passive: 0.59 }), 'return'],
      ['an unscorable frame does not help', back(), face({ passive: null }), 'return'],
      ['too few scored frames of its own', back({ scoredFrames: 1 }), face(), 'return'],
      ['one comparison at a time', back({ comparisons: pending }), face(), 'return'],
      ['another face', back(), face({ track: 'new' }), 'ChallengeFailed/face-swapped'],
      ['over to the wrong side', back(), face({ yawDeg: -12 }), 'ChallengeFailed/wrong-way'],
      ['an attack frame', back(), face({ passive: 0 }), 'LivenessFailed/attack-frame'],
      [
        'the estimate sinks',
        back({ facts: facts({ estimate: samples(0.55) }) }),
        face({ passive: 0.5 }),
        'LivenessFailed/passive-below-threshold',
      ],
      ['another face after a miss', missedBack, face({ track: 'new' }), 'NoMatch/second-below-threshold'],
      ['an attack frame after a miss', missedBack, face({ passive: 0 }), 'LivenessFailed/attack-frame'],
      [
        'no passive check',
        back({ scoredFrames: 0, facts: facts(absent) }),
        face({ passive: null }),
        'return + compare frontal first',
      ],
    ],
    'no-face': [
      ['gone', back(), noFace, 'ChallengeFailed/face-lost'],
      ['gone after a miss', missedBack, noFace, 'NoMatch/second-below-threshold'],
    ],
    'several-faces': [
      ['pauses', back(), several('same'), 'paused'],
      ['gone among others', back(), several('lost'), 'ChallengeFailed/face-lost'],
      ['swapped', back(), several('new'), 'ChallengeFailed/face-swapped'],
      ['lost after a miss', missedBack, several('lost'), 'NoMatch/second-below-threshold'],
    ],
    compared: [
      ['after the light in place of the turn', litBack(), compared(true), 'Match/verified-by-light'],
      ['after no answer of the light', litBack(null), compared(true), 'LivenessFailed/light-not-answered'],
      ['the second match', back({ comparisons: pending }), compared(true), 'Match/verified'],
      ['a miss is tried again', back({ comparisons: missed(1) }), compared(false), 'return'],
      ['the third miss ends it', back({ comparisons: missed(2) }), compared(false), 'NoMatch/second-below-threshold'],
      ['an answer nobody asked for', back(), compared(true), 'return'],
      ['the same person on the way back', back({ turned: pending }), compared(true), 'return'],
      ['another on the way back', back({ turned: pending }), compared(false), 'ChallengeFailed/face-swapped'],
      [
        'a match after the window',
        back({ comparisons: pending }),
        { ...compared(true), atMs: OPENED + 10_000 },
        'ChallengeFailed/not-looked-back',
      ],
    ],
    lit: [['was not asked for', back(), silent, 'return']],
    confirmed: [['nobody was asked to', back(), confirmed, 'return']],
    tick: [
      ['within the window', back(), tick(OPENED + 9_999), 'return'],
      ['never looked back', back(), tick(OPENED + 10_000), 'ChallengeFailed/not-looked-back'],
      [
        'compared in vain',
        back({ comparisons: missed(1, false) }),
        tick(OPENED + 10_000),
        'NoMatch/second-below-threshold',
      ],
      [
        'frontal, unscored',
        back({ frontalUnscored: true }),
        tick(OPENED + 10_000),
        'ChallengeFailed/too-few-scored-frames',
      ],
    ],
    ended: [['as at the end of the window', back(), ended, 'ChallengeFailed/not-looked-back']],
    failed: [
      ['engine', back(), failed('engine-failed'), 'ChallengeFailed/engine-failed'],
      ['engine, after a miss', missedBack, failed('engine-failed'), 'ChallengeFailed/engine-failed'],
    ],
    cancelled: [['host stops', back(), cancelled, 'ChallengeFailed/cancelled']],
  },
  paused: {
    frame: [['another one', paused(), firstFrame, 'paused']],
    face: [
      ['alone again before staff', paused(staff()), face(), 'staff + compare frontal first'],
      ['alone again in front', paused(), face(), 'frontal + compare frontal first'],
      ['alone again, not yet turned', paused(turn()), face({ yawDeg: 5 }), 'turn'],
      ['alone again in the turn', paused(turn()), face({ yawDeg: 25, parallax: 0.1 }), 'turn + compare turned'],
      ['alone again looking back', paused(back()), face(), 'return + compare frontal first'],
      [
        'alone again, with none of the frames before',
        transition(frontal({ comparisons: held }), several()).state,
        face(),
        'frontal + compare frontal first',
      ],
      [
        'nor looking back',
        transition(back({ comparisons: held }), several()).state,
        face(),
        'return + compare frontal first',
      ],
      ['alone again under the light', paused(litSince(1)), face(), 'light + light'],
      ['another under the light', paused(lit()), face({ track: 'new' }), 'ChallengeFailed/face-swapped'],
      ['the one who stayed is another', paused(turn()), face({ track: 'new' }), 'ChallengeFailed/face-swapped'],
      ['in front another starts anew', paused(), face({ track: 'new' }), 'frontal'],
    ],
    'no-face': [
      ['everybody left the front', paused(), noFace, 'frontal'],
      ['the tracked face left', paused(turn()), noFace, 'ChallengeFailed/face-lost'],
      ['the tracked face left looking back', paused(back()), noFace, 'ChallengeFailed/face-lost'],
    ],
    'several-faces': [
      ['still', paused(), several(), 'paused'],
      ['still, in the turn', paused(turn()), several(), 'paused'],
      ['lost, in the turn', paused(turn()), several('lost'), 'ChallengeFailed/face-lost'],
      ['swapped, looking back', paused(back()), several('new'), 'ChallengeFailed/face-swapped'],
    ],
    compared: [
      ['is forgotten in front', paused(frontal({ comparisons: pending })), compared(true), 'paused'],
      ['is forgotten looking back', paused(back({ comparisons: pending })), compared(true), 'paused'],
      ['is forgotten in the turn', paused(turn({ turned: pending, asked: farEnough })), compared(true), 'paused'],
      ['is forgotten on the way back', paused(back({ turned: pending })), compared(false), 'paused'],
    ],
    lit: [
      ['a sequence beside a second face', paused(lit()), silent, 'paused'],
      ['or its answer', paused(lit()), answered, 'paused'],
    ],
    confirmed: [['beside a second face', paused(staff()), confirmed, 'paused']],
    tick: [
      ['within the window', paused(), tick(OPENED + 9_999), 'paused'],
      ['the window runs on', paused(), tick(OPENED + 10_000), 'NoMatch/several-faces'],
      ['after the first match', paused(turn()), tick(OPENED + 10_000), 'ChallengeFailed/several-faces'],
      ['after a second miss', paused(missedBack), tick(OPENED + 10_000), 'NoMatch/second-below-threshold'],
    ],
    ended: [
      ['in front', paused(), ended, 'NoMatch/several-faces'],
      ['looking back', paused(back()), ended, 'ChallengeFailed/several-faces'],
    ],
    failed: [
      ['in front', paused(), failed(), 'NoFace/camera-failed'],
      ['in the turn', paused(turn()), failed(), 'ChallengeFailed/camera-failed'],
    ],
    cancelled: [
      ['in front', paused(), cancelled, 'NoFace/cancelled'],
      ['looking back', paused(back()), cancelled, 'ChallengeFailed/cancelled'],
    ],
  },
  finished: {
    frame: [['too late', done, firstFrame, 'finished']],
    face: [['too late', done, face(), 'finished']],
    'no-face': [['too late', done, noFace, 'finished']],
    'several-faces': [['too late', done, several(), 'finished']],
    compared: [['too late', done, compared(true), 'finished']],
    lit: [['too late', done, answered, 'finished']],
    confirmed: [['too late', done, confirmed, 'finished']],
    tick: [['too late', done, tick(OPENED + 99_999), 'finished']],
    ended: [['too late', done, ended, 'finished']],
    failed: [['too late', done, failed(), 'finished']],
    cancelled: [['too late', done, cancelled, 'finished']],
  },
};

for (const stateName of stateNames) {
  describe(stateName, () => {
    for (const eventName of eventNames) {
      const cell = transitionTable[stateName][eventName];
      describe(`${eventName}: ${cell.because}`, () => {
        it.each(examples[stateName][eventName])('%s', (_about, before, event, after) => {
          expect(before.name).toBe(stateName);
          expect(event.type).toBe(eventName);
          const frozen = deepFreeze(structuredClone(before));
          const { state, effects } = transition(frozen, event);
          const asked = effects
            .map((effect) => {
              if (effect.type === 'compare')
                return ` + compare ${effect.pose}${effect.pose === 'frontal' ? ` ${effect.probe}` : ''}`;
              return effect.type === 'light' ? ' + light' : '';
            })
            .join('');
          const verdicts = effects.filter((effect) => effect.type === 'finish');
          if (state.name === 'finished' && before.name !== 'finished') {
            expect(`${state.verdict.outcome}/${state.verdict.reason}`).toBe(after);
            expect(verdicts).toEqual([{ type: 'finish', verdict: state.verdict }]);
            expect(asked).toBe('');
          } else {
            expect(state.name + asked).toBe(after);
            expect(verdicts).toEqual([]);
          }
          expect(cell.leadsTo.includes(state.name) || event.atMs >= OPENED + STANDARD_POLICY.windowMs).toBe(true);
        });

        it('has an example for each state it may lead to', () => {
          const shown = examples[stateName][eventName].map(([, before, event]) => transition(before, event).state.name);
          for (const target of cell.leadsTo) expect(shown).toContain(target);
        });
      });
    }
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
