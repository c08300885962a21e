import type { FaceAnalysis, PassiveLiveness } from '@svc/face-engine';
import { describe, expect, it, vi } from 'vitest';
import type { DecodedPhoto } from './decode-photo.ts';
import { createLooksLive } from './seal-photo.ts';

const photo: DecodedPhoto = { data: new Uint8Array(3), width: 1, height: 1, channels: 3 };
const face = {} as FaceAnalysis;

function checking(score: () => Promise<number | null>, photoAtLeast: number | null = 0.5) {
  const dispose = vi.fn();
  const frameScore = async () => {
    const live = await score();
    return live === null ? null : { score: live, evidence: null };
  };
  const open = vi.fn(() =>
    Promise.resolve({ score: frameScore, calibration: { photoAtLeast } } as unknown as PassiveLiveness),
  );
  const engine = { open: () => ({ dispose }) } as unknown as Parameters<typeof createLooksLive>[0];
  return { looksLive: createLooksLive(engine, open), open, dispose };
}

describe('the passive check of a photo', () => {
  it.each([
    [1, true],
    [0.5, true],
    [0.499, false],
    [0, false],
    [Number.NaN, false],
    [null, false],
  ])('takes the score %s for %s', async (score, expected) => {
    const { looksLive, dispose } = checking(() => Promise.resolve(score));
    expect(await looksLive(photo, face)).toBe(expected);
    expect(dispose).toHaveBeenCalledOnce();
  });

  it('uses the threshold of its own calibration', async () => {
    for (const [least, expected] of [
      [0.7, true],
      [0.71, false],
    ] as const) {
      expect(await checking(() => Promise.resolve(0.7), least).looksLive(photo, face)).toBe(expected);
    }
  });

  it('judges no photo by a model that was never measured on photos', async () => {
    await expect(checking(() => Promise.resolve(1), null).looksLive(photo, face)).rejects.toThrow('no passive check');
  });

  it('is loaded once, and again where that failed', async () => {
    const { looksLive, open, dispose } = checking(() => Promise.resolve(1));
    open.mockRejectedValueOnce(new Error('no memory'));
    await expect(looksLive(photo, face)).rejects.toThrow('no memory');
    for (let i = 0; i < 3; i += 1) expect(await looksLive(photo, face)).toBe(true);
    expect(open).toHaveBeenCalledTimes(2);
    expect(dispose).toHaveBeenCalledTimes(3);
  });

  it('lets the picture go when it fails', async () => {
    const { looksLive, dispose } = checking(() => Promise.reject(new Error('broken')));
    await expect(looksLive(photo, face)).rejects.toThrow('broken');
    expect(dispose).toHaveBeenCalledOnce();
  });
});
