import type { Clock, Timers } from '@svc/device-sdk';

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** The true time. The service's clock shows it; a device's may show any time. */
export class TrueTime {
  #nowMs = Date.UTC(2031, 4, 1, 8);
  readonly #clocks = new Set<DeviceClock>();

  now(): number {
    return this.#nowMs;
  }

  /** A device that is on. */
  boot(offsetMs: number): DeviceClock {
    const clock = new DeviceClock(this, offsetMs);
    this.#clocks.add(clock);
    return clock;
  }

  switchOff(clock: DeviceClock): void {
    this.#clocks.delete(clock);
  }

  /** Lets time pass and runs the due timers of running devices in order. Does not wait for the work they start. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let due = this.#nextBy(endMs); due !== null; due = this.#nextBy(endMs)) {
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.take();
    }
    this.#nowMs = endMs;
  }

  #nextBy(endMs: number): ReturnType<DeviceClock['dueBy']>[number] | null {
    return [...this.#clocks].flatMap((clock) => clock.dueBy(endMs)).sort((a, b) => a.atMs - b.atMs)[0] ?? null;
  }
}

/** Clocks and timers of a device, from one start to the next. */
export class DeviceClock {
  readonly #time: TrueTime;
  readonly #bootMs: number;
  readonly #timers = new Set<Timer>();
  /** Wall clock minus true time. */
  offsetMs: number;

  constructor(time: TrueTime, offsetMs: number) {
    this.#time = time;
    this.#bootMs = time.now();
    this.offsetMs = offsetMs;
  }

  readonly clock: Clock = {
    wallMs: () => this.#time.now() + this.offsetMs,
    monotonicMs: () => this.#time.now() - this.#bootMs + 5,
  };

  readonly timers: Timers = {
    after: (delayMs, callback) => {
      const timer = { atMs: Math.ceil(this.#time.now() + Math.max(0, delayMs)), callback };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    },
  };

  dueBy(endMs: number): { readonly atMs: number; take(): void }[] {
    return [...this.#timers]
      .filter(({ atMs }) => atMs <= endMs)
      .map((timer) => ({
        atMs: timer.atMs,
        take: () => {
          if (this.#timers.delete(timer)) timer.callback();
        },
      }));
  }
}
