import type { Timers } from './ports/platform.ts';
import type { DeviceStatus } from './status.ts';

/** Platform timers count milliseconds in 31 bits. */
const LONGEST_TIMER_MS = 24 * 60 * 60_000;

export interface StatusWatchOptions {
  readonly status: () => DeviceStatus;
  readonly timers: Timers;
  /** Trusted time now, milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Called when a lease or deadline is reached: deletes what is due. */
  readonly onBoundary: () => Promise<unknown>;
}

/** Notifies listeners of status changes: at once after a device action, and at the moment of a change by time. */
export class StatusWatch {
  readonly #options: StatusWatchOptions;
  readonly #listeners = new Set<(status: DeviceStatus) => void>();
  #told = '';
  #cancelTimer: () => void = () => undefined;
  #closed = false;

  constructor(options: StatusWatchOptions) {
    this.#options = options;
  }

  /** @returns removes the listener; idempotent */
  add(listener: (status: DeviceStatus) => void): () => void {
    // A new function, so that the same listener can be added twice.
    const own = (status: DeviceStatus) => listener(status);
    if (this.#listeners.size === 0) this.#told = JSON.stringify(this.#options.status());
    if (!this.#closed) this.#listeners.add(own);
    this.#waitForBoundary();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#cancelTimer();
    };
  }

  /** Compares the status and notifies listeners of a change. */
  look(): void {
    if (this.#listeners.size === 0) return;
    const status = this.#options.status();
    const now = JSON.stringify(status);
    if (now !== this.#told) {
      this.#told = now;
      for (const listener of [...this.#listeners]) {
        try {
          listener(status);
        } catch {
          // A failing screen must not affect the device's deadlines.
        }
      }
    }
    this.#waitForBoundary();
  }

  /** Ends all notifications. */
  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#cancelTimer();
  }

  #waitForBoundary(): void {
    this.#cancelTimer();
    if (this.#listeners.size === 0) return;
    const { status, timers, nowMs, onBoundary } = this.#options;
    const now = nowMs();
    const { leaseExpiresAtMs, retentionDeadlineMs } = status();
    const ahead = [leaseExpiresAtMs, retentionDeadlineMs].filter((at) => at !== null && at > now);
    if (ahead.length === 0) return;
    const delayMs = Math.min(LONGEST_TIMER_MS, ...ahead.map((at) => (at ?? now) - now));
    this.#cancelTimer = timers.after(delayMs, () => {
      void onBoundary()
        .catch(() => undefined)
        .then(() => this.look());
    });
  }
}
