/** Options of {@link nextVideoFrame}. */
export interface NextFrameOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Waits for a new picture. `ended`: the signal aborted; `stalled`: none came in time. */
export function nextVideoFrame(
  video: HTMLVideoElement,
  { signal, timeoutMs }: NextFrameOptions,
): Promise<'frame' | 'stalled' | 'ended'> {
  if (signal.aborted) return Promise.resolve('ended');
  return new Promise((resolve) => {
    const finish = (outcome: 'frame' | 'stalled' | 'ended') => {
      cancel();
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(outcome);
    };
    const end = () => finish('ended');
    const timer = Number.isFinite(timeoutMs) ? setTimeout(() => finish('stalled'), timeoutMs) : undefined;
    signal.addEventListener('abort', end, { once: true });
    const cancel = onNextFrame(video, () => finish('frame'));
  });
}

/** @returns a function that cancels */
function onNextFrame(video: HTMLVideoElement, callback: () => void): () => void {
  try {
    const handle = video.requestVideoFrameCallback(callback);
    return () => video.cancelVideoFrameCallback(handle);
  } catch {
    return pollForFrame(video, callback);
  }
}

/**
 * For browsers without requestVideoFrameCallback (Firefox before 132): the element's time changes with each picture.
 */
function pollForFrame(video: HTMLVideoElement, callback: () => void): () => void {
  const shownS = video.currentTime;
  let handle = 0;
  const look = () => {
    if (video.currentTime !== shownS && video.videoWidth > 0) callback();
    else handle = requestAnimationFrame(look);
  };
  handle = requestAnimationFrame(look);
  return () => cancelAnimationFrame(handle);
}
