import type { Camera, CheckInDevice, VerificationResult } from '@svc/device-sdk';
import { describe, expect, it } from 'vitest';
import { type Clocks, computingMs, latencyMs, timeAttempt } from './time-attempt.ts';
import { FRAME_MS } from './visitor.ts';

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
      return { outcome: 'Match', reason: 'verified' } as VerificationResult;
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
