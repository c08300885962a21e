import { SvcApiError, SvcConnectionError } from './errors.ts';

/** How long one attempt waits, and why it ended. */
export interface Patience {
  /** Aborted when the wait took too long, or by the caller's own signal. */
  readonly signal: AbortSignal;
  /** Starts the wait anew. */
  resume(): void;
  /** Nothing is waited for; the caller's signal counts all the same. */
  pause(): void;
  /**
   * What a failure of this attempt is to the caller: the reason of its signal, an error of this package, or what it
   * was.
   */
  explain(error: unknown): unknown;
}

/** @param timeoutMs longest wait in milliseconds, counted from now on */
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

/**
 * The chunks of a body as they come. Each is waited for as long as `patience` lasts; the time that the reader takes is
 * its own.
 */
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
