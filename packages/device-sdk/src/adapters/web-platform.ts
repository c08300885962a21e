import type { Clock, Random, Timers } from '../ports/platform.ts';

/** Date and performance, in browsers and Node. */
export const webClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Web Crypto's generator. */
export const webRandom: Random = {
  bytes: (length) => {
    const bytes = new Uint8Array(length);
    // getRandomValues refuses more than 65,536 bytes at once.
    for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    return bytes;
  },
};

/** setTimeout; in Node the timer does not keep the process alive. */
export const webTimers: Timers = {
  after: (delayMs, callback) => {
    const handle: unknown = setTimeout(callback, delayMs);
    if (typeof handle === 'object' && handle !== null && 'unref' in handle && typeof handle.unref === 'function') {
      handle.unref();
    }
    return () => clearTimeout(handle as Parameters<typeof clearTimeout>[0]);
  },
};
