/** Two clocks: one that people set, one that only runs. */
export interface Clock {
  /** Milliseconds since 1970 as the device believes; may jump either way, so it is never trusted alone. */
  wallMs(): number;
  /** Milliseconds since some point in this run of the program; never steps back. */
  monotonicMs(): number;
}

/** Calls later. Injected, so that a test decides when time passes. */
export interface Timers {
  /** Calls `callback` once after about `delayMs`; the answer cancels it. Must not keep a process alive by itself. */
  after(delayMs: number, callback: () => void): () => void;
}
