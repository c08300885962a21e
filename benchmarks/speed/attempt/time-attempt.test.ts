import type { Camera, CheckInDevice, Prompt, VerificationResult } from '@svc/device-sdk';
import { describe, expect, it } from 'vitest';
import { coresOf } from '../inputs/one-core.ts';
import { type Clocks, computingMs, latencyMs, timeAttempt } from './time-attempt.ts';
import { FRAME_MS, frameAt, framePath, type Moment, Visitor } from './visitor.ts';

const prompt = (key: Prompt['key'], direction?: 'left' | 'right'): Prompt => ({
  key,
  progress: 0,
  remainingMs: 0,
  ...(direction === undefined ? {} : { direction }),
});

/**
 * A device that takes 7 ms to ask for the camera, 10 ms per frame, and 30 ms more from its third frame to the result.
 */
function slowDevice(pass: (ms: number) => void): Pick<CheckInDevice, 'verifyLiveAsync'> {
  return {
    async verifyLiveAsync(_scannedId: string, camera: Camera): Promise<VerificationResult> {
      pass(7);
      let frames = 0;
      for await (const _frame of camera.frames(new AbortController().signal)) {
        pass(10);
        frames += 1;
        if (frames === 3) break;
      }
      pass(30);
      return {
        outcome: 'Match',
        reason: 'verified',
        admission: { recorded: false, alreadyAdmittedAtMs: null },
        protections: { passive: 'absent-staff-in-view', passiveCalibration: null, active: 'head-turn', light: 'off' },
        timings: {
          totalMs: 0,
          cameraStartMs: null,
          attemptMs: null,
          frontalMs: null,
          lightMs: null,
          turnMs: null,
          returnMs: null,
        },
        counts: { framesAnalysed: frames, framesDropped: 0, framesUnscorable: 0, embeddings: 0, detections: 0 },
      };
    },
  };
}

async function timed(processorShare: number | null) {
  let nowMs = 0;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const clocks: Clocks = {
    wallMs: () => nowMs,
    processorMs: async () => {
      const told = processorShare === null ? null : nowMs * processorShare;
      pass(1_000);
      return told;
    },
  };
  // Getting a frame and reading the processor time do not count.
  const picture = async () => {
    pass(500);
    return { data: new Uint8Array(4), width: 1, height: 1, channels: 4 } as const;
  };
  return timeAttempt({ device: slowDevice(pass), personId: 'a', picture, clocks });
}

describe('the times of an attempt', () => {
  it('cover the device only, the last frame up to the result', async () => {
    const times = await timed(null);
    expect(times).toMatchObject({ ended: 'Match/verified', openingMs: 7 });
    expect(times.frames.map(({ wallMs }) => wallMs)).toEqual([10, 10, 40]);
    expect(times.frames.map(({ atMs }) => atMs)).toEqual([0, FRAME_MS, 2 * FRAME_MS]);
    expect(latencyMs(times)).toBe(40);
  });

  it('use processor time if available, otherwise the wall clock', async () => {
    const [first] = (await timed(null)).frames;
    expect(first && computingMs(first)).toBe(10);
    const [told] = (await timed(1)).frames;
    expect(told?.processorMs).toBe(1_010);
    expect(told && computingMs(told)).toBe(1_010);
  });
});

describe('the visitor', () => {
  const yaws = (visitor: Visitor, from: number, until: number): Moment[] =>
    Array.from({ length: until - from }, (_, i) => visitor.moment(from + i));

  it('turns as asked after a delay, and back', () => {
    const visitor = new Visitor();
    expect(visitor.moment(0).yawDeg).toBe(0);
    visitor.hear(prompt('turn-head', 'right'));
    const turning = yaws(visitor, 1, 30);
    expect(turning[0]?.yawDeg).toBe(0);
    expect(turning.at(-1)?.yawDeg).toBe(-31);
    visitor.hear(prompt('look-back'));
    expect(yaws(visitor, 30, 60).at(-1)?.yawDeg).toBe(0);
  });

  it('moves identically for the same prompts', () => {
    const visit = () => {
      const visitor = new Visitor();
      visitor.moment(0);
      visitor.hear(prompt('turn-head', 'left'));
      return yaws(visitor, 1, 40);
    };
    expect(visit()).toEqual(visit());
  });
});

it.each([
  [0, { tick: 0, yawDeg: 0 }],
  [2, { tick: 41, yawDeg: -27 }],
  [1, { tick: 7, yawDeg: 2.5 }],
])('a frame is found again by its path: person %i, %o', (person, moment) => {
  expect(frameAt(framePath(person, moment))).toEqual({ person, moment });
});

it.each(['/frames/0/1', '/frames/0/1/x', '/frames/a/1/2', '/assets/0/1/2'])('%s is none', (path) => {
  expect(frameAt(path)).toBeNull();
});

it('reads a list of cores in taskset’s format', () => {
  expect(coresOf('0')).toEqual([0]);
  expect(coresOf('0,1\n')).toEqual([0, 1]);
  expect(coresOf('0,2-4,7')).toEqual([0, 2, 3, 4, 7]);
});
