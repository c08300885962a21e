import type { Timers } from './platform.ts';

/** Runs actions one at a time, in call order; a failure does not stop the next. */
export function createExclusive(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const run = last.then(action, action);
    last = run.catch(() => undefined);
    return run;
  };
}

/** An action ended before its result. */
export class Stopped extends Error {
  constructor(readonly why: 'timeout' | 'cancelled') {
    super(why);
  }
}

/**
 * Runs an action that ends at a timeout or when `cancel` aborts, also if it ignores its own signal, which aborts at the
 * end in any case.
 * @throws Stopped; errors of the action
 */
export async function withTimeout<T>(
  { timeoutMs, timers, cancel }: { readonly timeoutMs: number; readonly timers: Timers; readonly cancel: AbortSignal },
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  let stop: (why: 'timeout' | 'cancelled') => void = () => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = (why) => {
      // Before the abort, which lets the action reject too.
      reject(new Stopped(why));
      abort.abort();
    };
  });
  stopped.catch(() => undefined);
  const cancelTimer = timers.after(timeoutMs, () => stop('timeout'));
  const onCancel = () => stop('cancelled');
  if (cancel.aborted) onCancel();
  else cancel.addEventListener('abort', onCancel, { once: true });
  try {
    return await Promise.race([stopped, action(abort.signal)]);
  } finally {
    cancelTimer();
    cancel.removeEventListener('abort', onCancel);
    abort.abort();
  }
}
