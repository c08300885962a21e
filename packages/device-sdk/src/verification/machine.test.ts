import { readFileSync } from 'node:fs';
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
  headRelief,
  judged,
  lit,
  noFace,
  OPENED,
  paused,
  samples,
  setup,
  several,
  staff,
  tick,
  turn,
} from '../testing/attempt-fixtures.ts';
import { isLightEvidence } from './frame-facts.ts';
import { openAttempt, transition, transitionTable } from './machine.ts';
import { STANDARD_POLICY } from './policy.ts';
import { verdictReasons, verificationOutcomes } from './result.ts';
import {
  type ActiveCheck,
  type AttemptEvent,
  type AttemptState,
  type EventName,
  type EventOf,
  eventNames,
  type Facts,
  type FrontalState,
  type LightState,
  noComparisons,
  promptHints,
  promptKeys,
  type ReturnState,
  type StateName,
  type StateOf,
  stateNames,
} from './states.ts';

/** A whole state, or what differs from the usual one of its name. */
type Before<S extends StateName> =
  | AttemptState
  | (Partial<Omit<StateOf<S>, 'name' | 'facts'>> & { readonly facts?: Partial<Facts> });

/** An example of a cell: description, state before, what differs from the usual event, and what comes of it. */
type Example<S extends StateName, E extends EventName> = readonly [
  about: string,
  before: Before<S>,
  event: Partial<EventOf<E>>,
  after: StateName | string,
];

/** The end of the window. */
const END = OPENED + STANDARD_POLICY.windowMs;
const starting = openAttempt(setup).state;
const pending = { ...noComparisons, pending: true, lastAtMs: AT };
const [matched, unmatched] = [{ matched: true }, { matched: false }];
const missed = (misses: number, isPending = true) => ({
  ...noComparisons,
  pending: isPending,
  lastAtMs: AT - 2_000,
  misses,
});
/** A frame was compared without a match, and is held. */
const held = { ...missed(1, false), gathers: true };
const since = (ms: number) => ({ ...noComparisons, lastAtMs: AT - ms });
const onTheWay = { completesTurn: false, missCounts: true };
const farEnough = { completesTurn: true, missCounts: true };
const tooFar = { completesTurn: true, missCounts: false };
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
const flat = { ...headRelief, depth: 0.05 };
const sheet = back({ facts: facts({ relief: [headRelief, headRelief, flat, flat, flat] }) });
const flatTurn = turn({ turned: since(1), facts: facts({ relief: [flat, flat] }) });
/** A second face came while a frame was held. */
const regathering = transition(frontal({ comparisons: held }), several()).state;
/** A comparison is not answered yet. */
const asking = <S extends FrontalState | ReturnState = FrontalState>(of: Facts, state = frontal() as S): S => ({
  ...state,
  ...{ facts: of, comparisons: pending },
});
/** No face so far. */
const unseen = frontal({ facts: facts({ ...blank, faceSeenAtMs: null, frontalSeen: false }) });
const absent = { passive: null, estimate: [], everScored: false };

/** Where nobody watches; without a light the room is the witness. */
const alone: Partial<Facts> = { attendance: 'unattended' };
const aloneLit: Partial<Facts> = { ...alone, lightAsked: true };
const near = { room: 1.99 };
const low = { passive: 0.3, evidence: 0.061 };
const light = { outcome: 'answered' } as const;
const lacking = { ...alone, lack: 'too-little-room' as const };
/** Lit in front, for the longest time without a match. */
const front = (over: Partial<FrontalState> = {}) =>
  frontal({ facts: litAlone().facts, comparisons: pending, litSinceMs: AT - 1_600, ...over });
const litFor = (ms: number): Partial<Facts> => ({
  ...{ lightEnteredAtMs: AT - ms, litHead: { room: 2, hasTurned: false } },
});
const litAlone = (over: Partial<LightState> = {}, sequences = 1) =>
  lit({ facts: facts({ ...aloneLit, ...litFor(1_000), sequences }), ...over });
/** Lit before the turn. */
const litTurn = (over: Partial<Facts> = {}) =>
  turn({ facts: facts({ ...aloneLit, ...litFor(900), turnEnteredAtMs: AT - 900, light, ...over }) });
/** Scored and judged so for a while. */
const of = (score: number, evidence = score) => ({
  ...alone,
  estimate: samples(score, 40).map((one) => ({ ...one, evidence })),
});

/** Of every stage that follows the first match. */
const tracked = {
  'no-face': [['gone', {}, {}, 'ChallengeFailed/face-lost']],
  'several-faces': [
    ['pauses', {}, { track: 'same' }, 'paused'],
    ['gone among others', {}, { track: 'lost' }, 'ChallengeFailed/face-lost'],
    ['swapped', {}, { track: 'new' }, 'ChallengeFailed/face-swapped'],
  ],
  failed: [['camera', {}, {}, 'ChallengeFailed/camera-failed']],
  cancelled: [['staff or the host stop', {}, {}, 'ChallengeFailed/cancelled']],
} as const;

/**
 * `→ turn`: the state after; `light + light`: requests a sequence; `Match/verified`: ends so; `turn + turned`: requests a
 * comparison, of the turned face or of the frontal one in a `frame`, the `first` of a mean, or the `mean`. “Alone”:
 * nobody watches.
 */
const examples: { readonly [S in StateName]: { readonly [E in EventName]?: readonly Example<S, E>[] } } = {
  starting: {
    frame: [['opens the window before it is looked at', {}, {}, 'frontal']],
    face: [
      ['opens the window', {}, {}, 'frontal'],
      ['a first attack frame ends it', {}, { passive: 0.1 }, 'LivenessFailed/attack-frame'],
      [
        'without a passive check compares',
        openAttempt({ ...setup, passive: null }).state,
        { passive: null },
        'frontal + first',
      ],
    ],
    'no-face': [['opens the window', {}, {}, 'frontal']],
    'several-faces': [['opens it paused', {}, { track: 'new' }, 'paused']],
    tick: [
      ['waits for the camera', {}, { atMs: 9_999 }, 'starting'],
      ['not for ever', {}, { atMs: 10_000 }, 'NoFace/no-frames'],
    ],
    ended: [['no frame ever', {}, {}, 'NoFace/no-frames']],
    failed: [
      ['permission denied', {}, { cause: 'camera-denied' }, 'NoFace/camera-denied'],
      ['no real camera', {}, { cause: 'camera-unproven' }, 'LivenessFailed/camera-unproven'],
    ],
    cancelled: [['host stops', {}, {}, 'NoFace/cancelled']],
  },
  frontal: {
    face: [
      ['live and frontal', {}, {}, 'frontal + first'],
      ['exactly 12° is frontal', {}, { yawDeg: -12 }, 'frontal + first'],
      ['beyond 12° is not', {}, { yawDeg: 12.1 }, 'frontal'],
      ['an unscorable frame does not help', {}, { passive: null }, 'frontal'],
      ['four scored frames are no estimate', { facts: { estimate: samples(0.95, 3) } }, {}, 'frontal'],
      ['the fifth is', { facts: { estimate: samples(0.95, 4) } }, {}, 'frontal + first'],
      ['one comparison at a time', { comparisons: pending }, {}, 'frontal'],
      ['not sooner than 300 ms', { comparisons: { ...missed(1, false), lastAtMs: AT - 299 } }, {}, 'frontal'],
      ['after 300 ms', { comparisons: { ...missed(1, false), lastAtMs: AT - 300 } }, {}, 'frontal + first'],
      ['of a settled face with the frames before', { comparisons: held }, {}, 'frontal + mean'],
      ['at the limit of settled', { comparisons: held }, { motion: 0.15 }, 'frontal + mean'],
      ['of one that moved anew', { comparisons: held }, { motion: 0.16 }, 'frontal + first'],
      ['nor with frames from before it was unseen', { comparisons: held }, { motion: null }, 'frontal + first'],
      [
        'a mean below 0.6',
        { facts: { estimate: samples(0.6, 4) } },
        { passive: 0.59 },
        'LivenessFailed/passive-below-threshold',
      ],
      ['one attack frame ends it', {}, { passive: 0.1 }, 'LivenessFailed/attack-frame'],
      ['0.11 is no attack frame, but is not compared', {}, { passive: 0.11 }, 'frontal'],
      ['0.6 holds by itself', {}, { passive: 0.6 }, 'frontal + first'],
      ['at the end of the window', {}, { atMs: END }, 'LivenessFailed/too-few-scored-frames'],
      ['no passive check', { facts: absent }, { passive: null }, 'frontal + first'],
      ['alone, with room', { facts: alone }, { room: 2 }, 'frontal + first'],
      ['alone, without', { facts: alone }, near, 'frontal'],
      ['alone, not surely live', { facts: of(0.85) }, { evidence: 0.85 }, 'frontal'],
      ['alone, itself not live', { facts: of(1) }, { evidence: 0.49 }, 'frontal'],
      ['alone, of an unknown evidence', { facts: alone }, { evidence: null }, 'LivenessFailed/not-surely-live'],
      ['alone, surely an attack', { facts: of(0.7, 0.05) }, { evidence: 0.1 }, 'LivenessFailed/not-surely-live'],
      ['alone, without a passive check', { facts: { ...absent, ...alone } }, { passive: null }, 'frontal'],
      ['alone, the light begins meanwhile', { facts: aloneLit }, {}, 'frontal + first + light'],
      ['for who is near too', { facts: aloneLit }, near, 'frontal + first + light'],
      ['or scores low', { facts: { ...of(0.3), lightAsked: true } }, low, 'frontal + first + light'],
      [
        'but where no turn follows',
        { facts: { ...of(0.3), lightAsked: true, active: 'light' } },
        low,
        'LivenessFailed/passive-below-threshold',
      ],
      [
        'whose mean ends it',
        { facts: { ...of(0.3, 0.05), lightAsked: true } },
        { ...low, evidence: 0.06 },
        'LivenessFailed/not-surely-live',
      ],
      [
        'but is surely an attack',
        { facts: { ...of(0.3), lightAsked: true } },
        { ...low, evidence: 0.06 },
        'frontal + light',
      ],
      ['not before three scored frames', { facts: { ...aloneLit, estimate: samples(0.95, 1) } }, near, 'frontal'],
      ['not unsettled', { facts: { ...aloneLit, startedAtMs: AT - 299 } }, near, 'frontal + first'],
      ['nor turned', { facts: aloneLit }, { ...near, yawDeg: 13 }, 'frontal'],
      ['nor for an unscored face', { facts: aloneLit }, { ...near, passive: null }, 'frontal'],
      ['nor again', { facts: { ...aloneLit, sequences: 1 } }, near, 'frontal + first'],
      ['its light was another’s', front(), { track: 'new' }, 'frontal + rest'],
      ['or may be, after a jump', front(), { ...near, motion: 0.16 }, 'frontal + rest'],
      ['or of another size', front(), { room: 2.61 }, 'frontal + rest'],
    ],
    'no-face': [
      ['nobody there', {}, {}, 'frontal'],
      ['who was lit is gone', front(), {}, 'frontal + rest'],
      ['nobody yet', unseen, { atMs: OPENED + 5_999 }, 'frontal'],
      ['nobody for six seconds', unseen, { atMs: OPENED + 6_000 }, 'NoFace/no-face'],
      ['a person who was there may come back', {}, { atMs: OPENED + 9_999 }, 'frontal'],
    ],
    'several-faces': [
      ['pauses', {}, {}, 'paused'],
      ['and drops the light', front(), {}, 'paused + rest'],
    ],
    lit: [
      ['which nobody asked for', {}, silent, 'frontal'],
      ['an answer before the first match is nobody’s', front(), answered, 'frontal'],
      ['no answer ends it', front(), silent, 'LivenessFailed/light-not-answered'],
      ['light too strong for one too', front(), abstained('faint'), 'LivenessFailed/light-not-answered'],
    ],
    compared: [
      ['alone, with room', { facts: alone, comparisons: pending }, matched, 'turn'],
      ['alone, once the early light is over', front({ litSinceMs: null }), matched, 'light + light'],
      ['alone, under the light', front(), matched, 'light'],
      ['a miss drops it', front(), unmatched, 'frontal + rest'],
      ['unseen for longer', front({ litSinceMs: AT - 1_601 }), matched, 'light + light'],
      [
        'with no time for one',
        front({ litSinceMs: null, facts: { ...litAlone().facts, startedAtMs: AT - 5_001 } }),
        matched,
        'LivenessFailed/light-not-held',
      ],
      ['alone, no staff', front({ facts: instead('staff', alone) }), matched, 'ChallengeFailed/no-alternative'],
      [
        'alone, lit for the turn',
        front({ facts: instead('light', aloneLit), litSinceMs: null }),
        matched,
        'light + light',
      ],
      ['the person, where staff stand for the turn', asking(instead('staff')), matched, 'staff'],
      ['the person, where the light does', asking(instead('light', { lightAsked: true })), matched, 'light + light'],
      ['a light that nobody shows is none', asking(instead('light')), matched, 'ChallengeFailed/no-alternative'],
      ...(['staff', 'light'] as const).map(
        (active): Example<'frontal', 'compared'> => [
          `without a passive check ${active} does not`,
          { facts: { ...absent, active, lightAsked: true }, comparisons: pending },
          matched,
          'ChallengeFailed/no-alternative',
        ],
      ),
      ['a match asks for the turn', { comparisons: pending }, matched, 'turn'],
      ['or for the light before it', { comparisons: pending, facts: { lightAsked: true } }, matched, 'light + light'],
      ['a miss is tried again', { comparisons: pending }, unmatched, 'frontal'],
      ['the eighth miss ends it', { comparisons: missed(7) }, unmatched, 'NoMatch/below-threshold'],
      ['an answer nobody asked for', {}, matched, 'frontal'],
    ],
    tick: [
      ['nobody ever', unseen, { atMs: END }, 'NoFace/no-face'],
      ['never scorable', { facts: blank }, { atMs: END }, 'LivenessFailed/never-scorable'],
      ['compared in vain', { comparisons: missed(1, false) }, { atMs: END }, 'NoMatch/below-threshold'],
      ['never frontal', { facts: { frontalSeen: false } }, { atMs: END }, 'NoMatch/not-frontal'],
      ['never an estimate', {}, { atMs: END }, 'LivenessFailed/too-few-scored-frames'],
      ['no passive check, never compared', { facts: absent }, { atMs: END }, 'NoMatch/window-ended'],
      ['alone, never with room', { facts: lacking }, { atMs: END }, 'LivenessFailed/too-little-room'],
    ],
    ended: [['as at the end of the window', { comparisons: missed(1, false) }, {}, 'NoMatch/below-threshold']],
    failed: [['camera', {}, { cause: 'camera-failed' }, 'NoFace/camera-failed']],
    cancelled: [['host stops', {}, {}, 'NoFace/cancelled']],
  },
  light: {
    face: [
      ['the face is compared', {}, {}, 'light + frame'],
      ['not sooner than 900 ms', litSince(899), {}, 'light'],
      ['after 900 ms', litSince(900), {}, 'light + frame'],
      ['alone not sooner than 600 ms', litAlone({ comparisons: since(599) }), near, 'light'],
      ['alone after 600 ms', litAlone({ comparisons: since(600) }), near, 'light + frame'],
      ['alone, of its size', litAlone(), { room: 2.6 }, 'light + frame'],
      ['another size may be another head', litAlone(), { room: 2.61 }, 'light + light'],
      ['a jump too', litAlone({}, 2), { ...near, motion: 0.16 }, 'light + light'],
      ['aside too', litAlone({}, 2), { ...near, motion: 0.16, yawDeg: 13 }, 'light + light'],
      ['with no light left', litAlone({}, 3), { ...near, motion: null }, 'LivenessFailed/light-not-held'],
      ['alone, aside for a moment', litAlone({ comparisons: since(750) }), { ...near, yawDeg: 13 }, 'light'],
      ['aside for longer', litAlone({ comparisons: since(751) }), { ...near, yawDeg: 13 }, 'light + light'],
      ['alone, unseen for too long', litAlone({ seenAtMs: AT - 1_601 }), near, 'light + light'],
      ['not where it looks away', {}, { yawDeg: 12.1 }, 'light'],
      ['no direction was asked for yet', {}, { yawDeg: -30 }, 'light'],
      ['another face', {}, { track: 'new' }, 'ChallengeFailed/face-swapped'],
      ['an attack frame', {}, { passive: 0.1 }, 'LivenessFailed/attack-frame'],
      ['too late', {}, { atMs: END }, 'LivenessFailed/light-not-held'],
    ],
    ...tracked,
    compared: [
      ['was not asked for', {}, unmatched, 'light'],
      ['the person', { comparisons: pending }, matched, 'light'],
      ['one miss under coloured light', { comparisons: pending }, unmatched, 'light'],
      ['two are another', { comparisons: missed(1) }, unmatched, 'ChallengeFailed/face-swapped'],
    ],
    lit: [
      ['an answer leads on', {}, answered, 'turn'],
      ['strong light does', {}, abstained('too-bright'), 'turn'],
      ['an answer leads to staff instead', { facts: instead('staff', { lightAsked: true }) }, answered, 'staff'],
      ['an answer stands for the turn', litInstead(), answered, 'return'],
      ['strong light does not', litInstead(), abstained('too-bright'), 'light + light'],
      ['nor twice', litInstead({ rounds: 2 }), abstained('too-bright'), 'LivenessFailed/light-not-held'],
      ['no answer ends it', {}, silent, 'LivenessFailed/light-not-answered'],
      ['who moved is asked once more', {}, abstained('moved'), 'light + light'],
      ['where strong light hides the order too', {}, abstained('faint'), 'light + light'],
      ['where it burns the face out too', {}, abstained('burnt-out'), 'light + light'],
      ['an answer of nobody in particular too', { seenAsPerson: false }, answered, 'light + light'],
      ['not for ever', { rounds: 2 }, abstained('moved'), 'LivenessFailed/light-not-held'],
      ['nor in strong light', { rounds: 2 }, abstained('faint'), 'LivenessFailed/light-not-answered'],
      ['alone, an answer leads on', litAlone({ seenAtMs: AT - 1_600 }), answered, 'turn'],
      ['not if unseen for longer', litAlone({ seenAtMs: AT - 1_601 }), answered, 'light + light'],
      [
        'nor if seen before it',
        transition(litAlone(), abstained('moved')).state,
        answered,
        'LivenessFailed/light-not-held',
      ],
      ['alone, strong light does not', litAlone(), abstained('too-bright'), 'light + light'],
      ['nor twice', litAlone({ rounds: 2 }), abstained('too-bright'), 'LivenessFailed/light-not-answered'],
      ['a third sequence is the last', litAlone({}, 3), abstained('moved'), 'LivenessFailed/light-not-held'],
      [
        'nor without time',
        litAlone({ facts: { ...litAlone().facts, startedAtMs: AT - 5_001 } }),
        abstained('moved'),
        'LivenessFailed/light-not-held',
      ],
      ['alone, too strong a light is the last', litAlone(), abstained('faint'), 'LivenessFailed/light-not-answered'],
      ['nor an unseen answer', { rounds: 2, seenAsPerson: false }, answered, 'LivenessFailed/light-not-held'],
    ],
    tick: [['never held still', {}, { atMs: END }, 'LivenessFailed/light-not-held']],
    ended: [['as at the end of the window', {}, {}, 'LivenessFailed/light-not-held']],
  },
  turn: {
    face: [
      ['not turned yet', {}, { yawDeg: 9.9 }, 'turn'],
      ['turned, not far enough', {}, { yawDeg: 10 }, 'turn + turned'],
      ['one comparison at a time', { turned: pending }, { yawDeg: 15 }, 'turn'],
      ['not sooner than 300 ms', { turned: since(299) }, { yawDeg: 24.9, parallax: 0.2 }, 'turn'],
      ['after 300 ms', { turned: since(300) }, { yawDeg: 24.9, parallax: 0.2 }, 'turn + turned'],
      ['far enough, with depth', {}, { yawDeg: 25, parallax: 0.08 }, 'turn + turned'],
      ['which does not wait', { turned: since(1) }, { yawDeg: 25, parallax: 0.08 }, 'turn + turned'],
      ['but for an answer', { turned: pending }, { yawDeg: 25, parallax: 0.08 }, 'turn'],
      ['its second try', { turned: since(300), asked: tooFar }, { yawDeg: 45, parallax: 0.2 }, 'turn + turned'],
      ['flat is compared as on the way', {}, { yawDeg: 30, parallax: 0.079 }, 'turn + turned'],
      ['a sheet, however far', flatTurn, { yawDeg: 28, parallax: 0.3 }, 'turn'],
      ['too far round and flat', {}, { yawDeg: 36, parallax: 0.079 }, 'turn'],
      ['a depth that is no number', { turned: since(1) }, { yawDeg: 30, parallax: Number.NaN }, 'turn'],
      ['as wide as a turned head', {}, { yawDeg: 25, parallax: 0.2, aspect: 0.664 }, 'turn + turned'],
      ['narrow as a turned sheet', { turned: since(1) }, { yawDeg: 25, parallax: 0.2, aspect: 0.663 }, 'turn'],
      ['a width that is no number', { turned: since(1) }, { yawDeg: 30, parallax: 0.2, aspect: Number.NaN }, 'turn'],
      ['an angle that is no number', {}, { yawDeg: Number.NaN, parallax: 0.2 }, 'ChallengeFailed/wrong-way'],
      ['too few scored frames', { scoredFrames: 1, turned: since(1) }, { yawDeg: 30, parallax: 0.2 }, 'turn'],
      ['alone, with room', turn({ facts: facts(alone) }), { yawDeg: 15 }, 'turn + turned'],
      ['alone, not without', turn({ facts: facts(alone) }), { ...near, yawDeg: 15 }, 'turn'],
      ['alone, lit in place of room', litTurn(), { ...near, yawDeg: 15, motion: 0.3 }, 'turn + turned'],
      ['of another size', litTurn(), { room: 1.53, yawDeg: 35 }, 'LivenessFailed/light-not-held'],
      ['turned away it has none', litTurn(), { room: 1.53, yawDeg: 35.1 }, 'turn'],
      ['after a jump it is lit again', litTurn(), { ...near, motion: 0.16 }, 'light + light'],
      ['aside it is not', litTurn(), { room: 1.53, yawDeg: 13 }, 'LivenessFailed/light-not-held'],
      [
        'nor with no time left',
        litTurn({ startedAtMs: AT - 5_001 }),
        { ...near, motion: 0.16 },
        'LivenessFailed/light-not-held',
      ],
      [
        'back in front, however fast',
        litTurn({ litHead: { room: 2, hasTurned: true } }),
        { ...near, motion: 0.3 },
        'turn',
      ],
      ['11.9° the wrong way is still a look', {}, { yawDeg: -11.9 }, 'turn'],
      ['12° is not', {}, { yawDeg: -12 }, 'ChallengeFailed/wrong-way'],
      ['another face', {}, { track: 'new' }, 'ChallengeFailed/face-swapped'],
    ],
    ...tracked,
    compared: [
      ['was not asked for', {}, matched, 'turn'],
      ['the same person on the way', { turned: pending, asked: onTheWay }, matched, 'turn'],
      ['another on the way', { turned: pending, asked: onTheWay }, unmatched, 'ChallengeFailed/face-swapped'],
      ['the same person, far enough', { turned: pending, asked: farEnough }, matched, 'return'],
      ['a miss too far round says nothing', { turned: pending, asked: tooFar }, unmatched, 'turn'],
      ['a match there does', { turned: pending, asked: tooFar }, matched, 'return'],
    ],
    tick: [
      ['never turned', {}, { atMs: END }, 'ChallengeFailed/turn-not-made'],
      ['turned as a sheet', { reached: 'narrowed' }, { atMs: END }, 'ChallengeFailed/narrowed'],
      ['turned flat', { reached: 'without-parallax' }, { atMs: END }, 'ChallengeFailed/no-parallax'],
      ['turned near', turn({ facts: facts(lacking) }), { atMs: END }, 'ChallengeFailed/turn-not-made'],
      ['all near', { facts: lacking, reached: 'without-liveness' }, { atMs: END }, 'LivenessFailed/too-little-room'],
      ['turned unscored', { reached: 'without-liveness' }, { atMs: END }, 'ChallengeFailed/too-few-scored-frames'],
      ['never seen to be the person', { reached: 'uncompared' }, { atMs: END }, 'ChallengeFailed/turn-not-made'],
    ],
    ended: [['as at the end of the window', {}, {}, 'ChallengeFailed/turn-not-made']],
  },
  staff: {
    face: [
      ['is compared while staff look', {}, {}, 'staff + first'],
      ['with the frames before', { comparisons: held }, {}, 'staff + mean'],
      ['wherever it looks: nobody asked', {}, { yawDeg: -40 }, 'staff'],
      ['an attack frame', { confirmed: true }, { passive: 0.1 }, 'LivenessFailed/attack-frame'],
      ['another face', { confirmed: true }, { track: 'new' }, 'ChallengeFailed/face-swapped'],
    ],
    ...tracked,
    'no-face': [['gone', { confirmed: true, matches: 1 }, {}, 'ChallengeFailed/face-lost']],
    compared: [
      ['was not asked for', { confirmed: true }, matched, 'staff'],
      ['the person, whom nobody has confirmed', { comparisons: pending }, matched, 'staff'],
      ['the person, who was confirmed', { comparisons: pending, confirmed: true }, matched, 'Match/staff-confirmed'],
      ['a miss', { comparisons: pending, confirmed: true }, unmatched, 'staff'],
      ['three are another', { comparisons: missed(2), confirmed: true }, unmatched, 'NoMatch/second-below-threshold'],
    ],
    confirmed: [
      ['before the second match', {}, {}, 'staff'],
      ['after it', { matches: 1 }, {}, 'Match/staff-confirmed'],
      ['after the window', { matches: 1 }, { atMs: END }, 'ChallengeFailed/staff-not-confirmed'],
    ],
    tick: [
      ['nobody confirmed', { matches: 1 }, { atMs: END }, 'ChallengeFailed/staff-not-confirmed'],
      ['never compared again', { confirmed: true }, { atMs: END }, 'ChallengeFailed/too-few-scored-frames'],
      ['missed', { confirmed: true, comparisons: missed(1, false) }, { atMs: END }, 'NoMatch/second-below-threshold'],
    ],
    ended: [['as at the end of the window', {}, {}, 'ChallengeFailed/staff-not-confirmed']],
  },
  return: {
    face: [
      ['still turned', {}, { yawDeg: 12.1 }, 'return + turned'],
      ['turned while the frontal one is compared', { comparisons: pending }, { yawDeg: 15 }, 'return'],
      ['frontal while the turned one is compared', { turned: pending }, {}, 'return'],
      ['frontal right after a turned one', { turned: since(1) }, {}, 'return + first'],
      ['frontal again', {}, { yawDeg: 12 }, 'return + first'],
      ['of a settled face with the frames before', { comparisons: held }, {}, 'return + mean'],
      ['a frame that does not hold by itself', {}, { passive: 0.59 }, 'return'],
      ['alone, with room', { facts: alone }, {}, 'return + first'],
      ['alone, near', { facts: alone }, near, 'return'],
      ['alone, after a jump', back({ facts: litTurn().facts }), { motion: 0.16 }, 'LivenessFailed/light-not-held'],
      ['another face', {}, { track: 'new' }, 'ChallengeFailed/face-swapped'],
      ['over to the wrong side', {}, { yawDeg: -12 }, 'ChallengeFailed/wrong-way'],
      ['an attack frame after a miss', missedBack, { passive: 0 }, 'LivenessFailed/attack-frame'],
    ],
    ...tracked,
    'no-face': [...tracked['no-face'], ['gone after a miss', missedBack, {}, 'NoMatch/second-below-threshold']],
    'several-faces': [
      ...tracked['several-faces'],
      ['lost after a miss', missedBack, { track: 'lost' }, 'NoMatch/second-below-threshold'],
    ],
    compared: [
      ['after the light in place of the turn', litBack(), matched, 'Match/verified-by-light'],
      ['after no answer of the light', litBack(null), matched, 'LivenessFailed/light-not-answered'],
      ['the second match', { comparisons: pending }, matched, 'Match/verified'],
      ['alone, with room throughout', asking(facts(alone), back()), matched, 'Match/verified'],
      ['alone, unlit', asking(facts(aloneLit), back()), matched, 'LivenessFailed/light-not-held'],
      ['of what was a sheet on the way back', asking(sheet.facts, back()), matched, 'ChallengeFailed/no-parallax'],
      ['a miss is tried again', { comparisons: missed(1) }, unmatched, 'return'],
      ['the third miss ends it', { comparisons: missed(2) }, unmatched, 'NoMatch/second-below-threshold'],
      ['an answer nobody asked for', {}, matched, 'return'],
      ['the same person on the way back', { turned: pending }, matched, 'return'],
      ['another on the way back', { turned: pending }, unmatched, 'ChallengeFailed/face-swapped'],
    ],
    tick: [
      ['never looked back', {}, { atMs: END }, 'ChallengeFailed/not-looked-back'],
      ['compared in vain', { comparisons: missed(1, false) }, { atMs: END }, 'NoMatch/second-below-threshold'],
      ['frontal, unscored', { frontalUnscored: true }, { atMs: END }, 'ChallengeFailed/too-few-scored-frames'],
      ['alone, near', { frontalUnscored: true, facts: lacking }, { atMs: END }, 'LivenessFailed/too-little-room'],
    ],
    ended: [['as at the end of the window', {}, {}, 'ChallengeFailed/not-looked-back']],
    failed: [
      ['engine, after a miss', missedBack, { cause: 'engine-failed' }, 'ChallengeFailed/engine-failed'],
      ['another camera', {}, { cause: 'camera-unproven' }, 'LivenessFailed/camera-unproven'],
    ],
  },
  paused: {
    face: [
      ['alone again before staff', paused(staff()), {}, 'staff + first'],
      ['alone again in front', {}, {}, 'frontal + first'],
      ['alone again in the turn', paused(turn()), { yawDeg: 25, parallax: 0.1 }, 'turn + turned'],
      ['alone again looking back', paused(back()), {}, 'return + first'],
      ['alone again, with none of the frames before', regathering, {}, 'frontal + first'],
      ['alone again under the light', paused(litSince(1)), {}, 'light + light'],
      ['alone in a third light', paused(litAlone({ comparisons: since(1) }, 3)), {}, 'LivenessFailed/light-not-held'],
      ['another under the light', paused(lit()), { track: 'new' }, 'ChallengeFailed/face-swapped'],
      ['in front another starts anew', {}, { track: 'new' }, 'frontal'],
    ],
    'no-face': [
      ['everybody left the front', {}, {}, 'frontal'],
      ['the tracked face left', paused(turn()), {}, 'ChallengeFailed/face-lost'],
    ],
    'several-faces': [
      ['still', {}, {}, 'paused'],
      ['lost, in the turn', paused(turn()), { track: 'lost' }, 'ChallengeFailed/face-lost'],
    ],
    compared: [
      ['is forgotten in front', paused(frontal({ comparisons: pending })), matched, 'paused'],
      ['is forgotten looking back', paused(back({ comparisons: pending })), matched, 'paused'],
      ['is forgotten in the turn', paused(turn({ turned: pending, asked: farEnough })), matched, 'paused'],
      ['is forgotten on the way back', paused(back({ turned: pending })), unmatched, 'paused'],
    ],
    tick: [
      ['the window runs on', {}, { atMs: END }, 'NoMatch/several-faces'],
      ['after the first match', paused(turn()), { atMs: END }, 'ChallengeFailed/several-faces'],
      ['after a second miss', paused(missedBack), { atMs: END }, 'NoMatch/second-below-threshold'],
    ],
    ended: [
      ['in front', {}, {}, 'NoMatch/several-faces'],
      ['looking back', paused(back()), {}, 'ChallengeFailed/several-faces'],
    ],
    failed: [
      ['in front', {}, {}, 'NoFace/camera-failed'],
      ['in the turn', paused(turn()), {}, 'ChallengeFailed/camera-failed'],
    ],
    cancelled: [
      ['in front', {}, {}, 'NoFace/cancelled'],
      ['looking back', paused(back()), {}, 'ChallengeFailed/cancelled'],
    ],
  },
  finished: {},
};

const usualStates: { readonly [S in StateName]: StateOf<S> } = {
  starting: starting as StateOf<'starting'>,
  frontal: frontal(),
  light: lit(),
  turn: turn(),
  staff: staff(),
  return: back(),
  paused: paused(),
  finished: { name: 'finished', verdict: { outcome: 'NoFace', reason: 'no-face' }, facts: null, finishedAtMs: AT },
};
const usualEvents: { readonly [E in EventName]: AttemptEvent } = {
  frame: firstFrame,
  face: face(),
  'no-face': noFace,
  'several-faces': several(),
  compared: compared(true),
  lit: answered,
  confirmed,
  tick: tick(),
  ended,
  failed: failed(),
  cancelled,
};

function stateOf(name: StateName, before: Before<StateName>): AttemptState {
  if ('name' in before) return before;
  const usual = usualStates[name];
  const known = 'facts' in usual ? { facts: { ...usual.facts, ...before.facts } } : {};
  return { ...usual, ...before, ...known } as AttemptState;
}

/** A frozen copy, which the machine could not change unnoticed. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** The state after, or the verdict, with the requests to the driver. */
function outcomeOf(before: AttemptState, event: AttemptEvent): string {
  const { state, effects } = transition(deepFreeze(structuredClone(before)), event);
  const asked = effects.flatMap((effect) => {
    if (effect.type === 'compare') return ` + ${effect.pose === 'frontal' ? effect.probe : effect.pose}`;
    return effect.type === 'light' || effect.type === 'rest' ? ` + ${effect.type}` : [];
  });
  const verdicts = effects.filter((effect) => effect.type === 'finish');
  if (state.name !== 'finished' || before.name === 'finished') {
    expect(verdicts).toEqual([]);
    return state.name + asked.join('');
  }
  expect(verdicts).toEqual([{ type: 'finish', verdict: state.verdict }]);
  expect(asked).toEqual([]);
  return `${state.verdict.outcome}/${state.verdict.reason}`;
}

const guide = readFileSync(new URL('../../../../docs/build/device-sdk.md', import.meta.url), 'utf8');
const over = { ended: 'finished', failed: 'finished', cancelled: 'finished' };
/** A lost face could return as another one; with several faces in view the tracked one must stay. */
const overTracked = { ...over, 'no-face': 'finished', 'several-faces': 'paused, finished' };
/** Where an event may lead from a state; what is not here changes nothing. */
const table: Readonly<Record<StateName, Partial<Record<EventName, string>>>> = {
  starting: {
    ...{ frame: 'frontal', face: 'frontal, finished', 'no-face': 'frontal', 'several-faces': 'paused' },
    ...{ tick: 'starting, finished', ...over },
  },
  frontal: {
    ...{ face: 'frontal, finished', 'no-face': 'frontal, finished', 'several-faces': 'paused' },
    compared: 'light, turn, staff, frontal, finished',
    // An answer before the first match counts for nobody; none ends the attempt.
    ...{ lit: 'frontal, finished', ...over },
  },
  light: {
    ...{ ...overTracked, face: 'light, finished', compared: 'light, finished' },
    // A moved or faintly lit face is lit again.
    lit: 'turn, staff, return, light, finished',
  },
  // Where nobody watches, what may be another head than the lit one is lit again.
  turn: { ...overTracked, face: 'turn, light, finished', compared: 'turn, return, finished' },
  staff: { ...overTracked, face: 'staff, finished', compared: 'staff, finished', confirmed: 'staff, finished' },
  return: { ...overTracked, face: 'return, finished', compared: 'return, finished' },
  paused: {
    ...{ face: 'frontal, light, turn, staff, return, finished', 'no-face': 'frontal, finished' },
    // A comparison with a second face in view proves nothing.
    ...{ 'several-faces': 'paused, finished', compared: 'paused', ...over },
  },
  finished: {},
};

describe.each(stateNames)('%s', (stateName) => {
  describe.each(eventNames)('%s', (eventName) => {
    const leadsTo = table[stateName][eventName]?.split(', ');
    const rows = (examples[stateName][eventName] ?? []) as readonly Example<StateName, EventName>[];
    const cases = rows.map(([about, before, over, after]) => {
      const event = { ...usualEvents[eventName], ...over } as AttemptEvent;
      return { about, before: stateOf(stateName, before), event, after };
    });

    it.each(cases)('$about', ({ before, event, after }) => {
      expect([before.name, event.type]).toEqual([stateName, eventName]);
      expect(outcomeOf(before, event)).toBe(after);
      const { state } = transition(before, event);
      expect(leadsTo?.includes(state.name) || event.atMs >= END).toBe(true);
    });

    it('has a handler where it changes something', () => {
      expect(leadsTo === undefined).toBe(transitionTable[stateName][eventName] === undefined);
    });

    if (leadsTo === undefined) {
      it('changes nothing', () => {
        const late = stateName === 'finished' ? [{ ...usualEvents[eventName], atMs: END }] : [];
        const others = stateName === 'paused' ? [paused(lit()), paused(turn()), paused(staff()), paused(back())] : [];
        for (const before of [usualStates[stateName], ...others]) {
          for (const event of [usualEvents[eventName], ...late]) {
            expect(transition(deepFreeze(structuredClone(before)), event)).toEqual({ state: before, effects: [] });
          }
        }
      });
    } else {
      it('has an example for each state it may lead to', () => {
        const shown = cases.map(({ before, event }) => transition(before, event).state.name);
        for (const target of leadsTo) expect(shown).toContain(target);
      });
    }
  });
});

const after = (state: AttemptState, ...events: readonly AttemptEvent[]): AttemptState =>
  events.reduce((before, event) => transition(before, event).state, state);

it.each([
  [{}, true],
  [{ yawDeg: 12 }, true],
  [{ yawDeg: -12.1 }, false],
  [{ passive: 0.2, evidence: 0.061 }, true],
  [{ evidence: 0.06 }, false],
  [{ evidence: null }, false],
  [{ passive: null }, false],
])('a face with %o is evidence of the light: %s', (over, expected) => {
  expect(isLightEvidence(face(over), facts(aloneLit))).toBe(expected);
});

describe('a pending comparison', () => {
  const turning = turn({ turned: pending, asked: farEnough });

  it.each<[string, readonly AttemptEvent[]]>([
    ['another face came', [face({ track: 'new' })]],
    ['the face left', [noFace]],
    ['the face left and came back', [noFace, face({ track: 'new' })]],
    ['another face came among several', [several('new'), face()]],
    ['it was lost among several', [several('lost'), face()]],
  ])('counts for nobody once %s', (_what, between) => {
    expect(after(frontal({ comparisons: pending }), face(), compared(true)).name).toBe('turn');
    expect(after(frontal({ comparisons: pending }), ...between, compared(true)).name).toBe('frontal');
  });

  it('of a turned face is ignored once two faces were in view, and is never the second match', () => {
    expect(after(turning, face({ yawDeg: 20 }), compared(true)).name).toBe('return');
    expect(after(turning, several(), compared(true), face({ yawDeg: 5 }), compared(true)).name).toBe('turn');
    expect(after(back({ turned: pending }), several(), compared(false), face({ yawDeg: 5 })).name).toBe('return');
    expect(after(back({ turned: pending }), compared(true), compared(true)).name).toBe('return');
  });
});

describe('docs/build/device-sdk.md', () => {
  it('has every outcome with its reasons, in order', () => {
    const [, list = ''] = /<!-- reasons:begin -->\n(.*?)\n<!-- reasons:end -->/s.exec(guide) ?? [];
    const named = (reasons: readonly string[]) => reasons.map((reason) => `\`${reason}\``).join(', ');
    expect(list.replaceAll('\n  ', ' ').split('\n')).toEqual(
      verificationOutcomes.map((outcome) => `- \`${outcome}\`: ${named(verdictReasons[outcome])}`),
    );
  });

  it('has every prompt and hint', () => {
    for (const key of [...promptKeys, ...promptHints]) expect(guide).toContain(`\`${key}\``);
  });
});
