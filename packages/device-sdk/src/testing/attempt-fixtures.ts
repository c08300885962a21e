import type { ReliefSample } from '@svc/face-engine';
import type { LightVerdict } from '../light/judge.ts';
import { openedFacts } from '../verification/frontal.ts';
import type { PassiveSample } from '../verification/liveness-estimate.ts';
import {
  type AttemptEvent,
  type EventOf,
  type Facts,
  type FrontalState,
  type LightState,
  noComparisons,
  type PausedState,
  type ReturnState,
  type Setup,
  type StaffState,
  type StageState,
  type TurnState,
} from '../verification/states.ts';
import { fakeCalibration } from './fake-engine.ts';

/** The window of these states opens here, which leaves room for “before”. */
export const OPENED = 1_000;

export const samples = (score: number | null, count = 5, untilMs = OPENED + 1_900): readonly PassiveSample[] =>
  Array.from({ length: count }, (_, i) => ({ atMs: untilMs - (count - 1 - i) * 60, score, evidence: score }));

/** Of a head: its nose stands out of the plane of eyes and mouth by 0.4 inter-eye distances. */
export const headRelief: ReliefSample = { depth: 0.4, widthKept: 0.9, agreement: 0.9 };

export const setup: Setup = {
  ...{ active: 'head-turn', direction: 'left', passive: fakeCalibration, lightAsked: false },
  attendance: 'staffed',
};

export const facts = (over: Partial<Facts> = {}): Facts => ({
  ...openedFacts(setup, OPENED),
  faceSeenAtMs: OPENED + 1_900,
  frontalSeen: true,
  everScored: true,
  estimate: samples(0.95),
  frontalAspect: 0.8,
  relief: [headRelief, headRelief],
  ...over,
});

export const frontal = (over: Partial<FrontalState> = {}): FrontalState => ({
  name: 'frontal',
  facts: facts(),
  comparisons: noComparisons,
  litSinceMs: null,
  ...over,
});

export const lit = (over: Partial<LightState> = {}): LightState => ({
  name: 'light',
  facts: facts({ lightAsked: true, lightEnteredAtMs: OPENED + 1_000 }),
  rounds: 1,
  comparisons: noComparisons,
  seenAsPerson: true,
  seenAtMs: OPENED + 1_900,
  ...over,
});

export const turn = (over: Partial<TurnState> = {}): TurnState => ({
  name: 'turn',
  facts: facts({ turnEnteredAtMs: OPENED + 1_000 }),
  scoredFrames: 5,
  reached: 'not',
  turned: noComparisons,
  asked: { completesTurn: false, missCounts: false },
  ...over,
});

export const staff = (over: Partial<StaffState> = {}): StaffState => ({
  name: 'staff',
  facts: facts({ active: 'staff' }),
  scoredFrames: 5,
  comparisons: noComparisons,
  matches: 0,
  confirmed: false,
  ...over,
});

export const back = (over: Partial<ReturnState> = {}): ReturnState => ({
  name: 'return',
  facts: facts({ turnEnteredAtMs: OPENED + 1_000, returnEnteredAtMs: OPENED + 1_500 }),
  scoredFrames: 5,
  frontalUnscored: false,
  comparisons: noComparisons,
  turned: noComparisons,
  ...over,
});

export const paused = (under: StageState = frontal()): PausedState => ({ name: 'paused', under });

export const AT = OPENED + 2_000;

/** A live frontal face of the tracked person, two seconds into the window. */
export const face = (over: Partial<EventOf<'face'>> = {}): EventOf<'face'> => ({
  type: 'face',
  atMs: AT,
  track: 'same',
  motion: 0.01,
  yawDeg: 0,
  parallax: 0.01,
  aspect: 0.78,
  relief: null,
  passive: 0.95,
  evidence: 0.95,
  room: 2.5,
  hint: null,
  ...over,
});

export const firstFrame: AttemptEvent = { type: 'frame', atMs: AT };
export const noFace: EventOf<'no-face'> = { type: 'no-face', atMs: AT };
export const several = (track: 'same' | 'new' | 'lost' = 'same'): AttemptEvent => ({
  type: 'several-faces',
  atMs: AT,
  track,
});
export const compared = (matched: boolean): AttemptEvent => ({ type: 'compared', atMs: AT, matched });
export const judged = (verdict: LightVerdict): EventOf<'lit'> => ({ type: 'lit', atMs: AT, verdict });
export const confirmed: AttemptEvent = { type: 'confirmed', atMs: AT };
export const tick = (atMs = AT): AttemptEvent => ({ type: 'tick', atMs });
export const ended: AttemptEvent = { type: 'ended', atMs: AT };
export const failed = (cause: EventOf<'failed'>['cause'] = 'camera-failed'): AttemptEvent => ({
  type: 'failed',
  atMs: AT,
  cause,
});
export const cancelled: AttemptEvent = { type: 'cancelled', atMs: AT };
