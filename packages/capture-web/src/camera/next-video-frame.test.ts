import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nextVideoFrame } from './next-video-frame.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (look: () => void) => setTimeout(look, 16));
  vi.stubGlobal('cancelAnimationFrame', clearTimeout);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('goes on by the time of a video whose callback no longer comes', async () => {
  const video = {
    videoWidth: 640,
    get currentTime() {
      return Date.now() / 1_000;
    },
    requestVideoFrameCallback: vi.fn(() => 1),
    cancelVideoFrameCallback: () => {},
  };
  const next = async (withinMs: number) => {
    const shown = nextVideoFrame(video as never, { signal: new AbortController().signal, timeoutMs: 1_000 });
    await vi.advanceTimersByTimeAsync(withinMs);
    return shown;
  };
  expect(await next(600)).toBe('frame');
  // At the next look, and not after another wait.
  expect(await next(40)).toBe('frame');
  expect(video.requestVideoFrameCallback).toHaveBeenCalledTimes(1);
});
