import type { Clock, Timers } from '../platform/platform.ts';

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

const WEB_CRYPTO = [
  ...(['decrypt', 'deriveBits', 'digest', 'encrypt', 'exportKey'] as const),
  ...(['generateKey', 'importKey', 'sign', 'verify'] as const),
];
/** Calls of WebCrypto without an answer yet. It computes on threads of its own, which a busy machine may hold up. */
let computing = 0;
let isWatched = false;
const waiting: (() => void)[] = [];

/** Counts the calls of WebCrypto from now on. */
function watchWebCrypto(): void {
  if (isWatched) return;
  isWatched = true;
  const done = () => {
    computing -= 1;
    if (computing === 0) for (const resume of waiting.splice(0)) resume();
  };
  const prototype = Object.getPrototypeOf(crypto.subtle) as typeof crypto.subtle;
  for (const name of WEB_CRYPTO) {
    const own = prototype[name] as (...args: unknown[]) => Promise<unknown>;
    const counted = function (this: typeof prototype, ...args: unknown[]) {
      computing += 1;
      return own.apply(this, args).finally(done);
    };
    Object.defineProperty(prototype, name, { value: counted, writable: true, configurable: true });
  }
}

const TURNS = 50;

/** Lets promises run, and what WebCrypto computes for them, until nothing is left to do. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (computing === 0) continue;
    await new Promise<void>((resolve) => waiting.push(resolve));
    turn = 0;
  }
};

export const STARTED_AT = Date.UTC(2030, 0, 1, 12);

export function createFakeTime(): FakeTime {
  watchWebCrypto();
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
