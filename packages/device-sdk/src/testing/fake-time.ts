import type { Clock, Timers } from '../ports/platform.ts';

/** Both clocks and the timers, moved by hand. */
export interface FakeTime {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Sets the wall clock independently of the time that passes. */
  setWall(ms: number): void;
  /** Advances both clocks and calls due timers, letting promises run in between. */
  advance(ms: number): Promise<void>;
  /** A restart: the monotonic clock starts again, timers are removed. */
  restart(): void;
}

const ROUNDS = 5;
const TURNS = 10;

/** Lets promises and WebCrypto's threads run, which complete in order. */
const settle = async (): Promise<void> => {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let i = 0; i < TURNS; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    await crypto.subtle.digest('SHA-256', new Uint8Array(1));
  }
};

export const STARTED_AT = Date.UTC(2030, 0, 1, 12);

export function createFakeTime(): FakeTime {
  let wall = STARTED_AT;
  let monotonic = 1_000;
  let pending: { readonly at: number; readonly callback: () => void }[] = [];
  return {
    clock: { wallMs: () => wall, monotonicMs: () => monotonic },
    timers: {
      after(delayMs, callback) {
        const timer = { at: monotonic + Math.max(0, delayMs), callback };
        pending.push(timer);
        return () => {
          pending = pending.filter((other) => other !== timer);
        };
      },
    },
    setWall(ms) {
      wall = ms;
    },
    async advance(ms) {
      const end = monotonic + ms;
      await settle();
      for (;;) {
        const next = pending.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        pending = pending.filter((timer) => timer !== next);
        wall += Math.max(0, next.at - monotonic);
        monotonic = Math.max(monotonic, next.at);
        next.callback();
        await settle();
      }
      wall += end - monotonic;
      monotonic = end;
      await settle();
    },
    restart() {
      monotonic = 5;
      pending = [];
    },
  };
}
