import { SvcApiError, SvcConnectionError } from './errors.ts';

/** Timeout of one attempt, and why it ended. */
export interface Patience {
  /** Aborted by the timeout, or by the caller's own signal. */
  readonly signal: AbortSignal;
  /** Restarts the timeout. */
  resume(): void;
  /** Suspends the timeout; the caller's signal still applies. */
  pause(): void;
  /**
   * The error to throw for a failure of this attempt: the signal's reason, an error of this package, or the failure
   * itself.
   */
  explain(error: unknown): unknown;
}

/** @param timeoutMs in milliseconds, from now on */
export function createPatience(timeoutMs: number, outer: AbortSignal | undefined): Patience {
  const timeout = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = () => clearTimeout(timer);
  const resume = () => {
    pause();
    timer = setTimeout(() => timeout.abort(), timeoutMs);
  };
  resume();
  return {
    signal: outer === undefined ? timeout.signal : AbortSignal.any([outer, timeout.signal]),
    pause,
    resume,
    explain(error) {
      if (outer?.aborted === true) return outer.reason;
      if (error instanceof SvcApiError || error instanceof SvcConnectionError) return error;
      return new SvcConnectionError(timeout.signal.aborted ? 'timed-out' : 'connection-failed', { cause: error });
    },
  };
}

/** The chunks of a body as they arrive. The timeout applies to each wait for a chunk, not to the reader's own time. */
export async function* chunksOf(body: ReadableStream<Uint8Array>, patience: Patience): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      patience.resume();
      const { done, value } = await reader.read();
      patience.pause();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw patience.explain(error);
  } finally {
    patience.pause();
    await reader.cancel().catch(() => undefined);
  }
}
