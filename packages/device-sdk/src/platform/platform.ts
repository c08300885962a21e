/** A wall clock, which can be set, and a monotonic clock. */
export interface Clock {
  /** Milliseconds since 1970. May jump in either direction, so it is never trusted alone. */
  wallMs(): number;
  /** Milliseconds since an arbitrary start; never decreases. */
  monotonicMs(): number;
}

/** Delayed calls; injected, so that tests control the time. */
export interface Timers {
  /** Calls `callback` once after about `delayMs`; the returned function cancels it. Must not keep the process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

/** A cryptographically secure generator, used for nonces and challenge directions. */
export interface Random {
  /** `length` fresh bytes, at most 65,536, owned by the caller. */
  bytes(length: number): Uint8Array;
}

export const webClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

export const webRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
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
