import type { Random, Timers } from '../platform/platform.ts';
import { withTimeout } from '../platform/timing.ts';
import type { Transport } from '../platform/transport.ts';
import { retryDelayMs } from '../sync/schedule.ts';
import type { OutgoingCheckIn, StoredAdmissions } from '../vault/stored-admissions.ts';
import type { QueuedRef } from './admission-log.ts';

/** As the service's own notifications have. */
const TIMEOUT_MS = 10_000;
/** Refusals in a row after which the receiver, and not the check-ins, is taken for the cause. */
const REFUSALS_A_PASS = 20;
/** A check-in is dropped after as many refusals beside others that were accepted. */
const REFUSALS_TO_DROP = 3;
/**
 * After as many failures of a check-in the others go first: it may be the cause. It is not dropped for it. A failure is an
 * answer 500, or none: a page in a browser cannot read an answer of another origin that does not allow it.
 */
const FAILURES_TO_SKIP = 3;
/** Answers about the receiver as a whole: it waits, is misconfigured, or is gone. */
const NOT_ABOUT_THE_MESSAGE: readonly number[] = [401, 403, 407, 408, 410, 425, 429];

export interface CheckInQueueOptions {
  /** Its methods reject with `storage-failed`. */
  readonly queue: Pick<StoredAdmissions, 'refs' | 'prepare' | 'settle'>;
  readonly ports: { readonly transport: Transport; readonly timers: Timers; readonly random: Random };
  /** Trusted time, milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Called when there are fewer check-ins in the queue: one was delivered, or is gone. */
  readonly onFewer: () => void;
}

type Answer = 'delivered' | 'refused' | 'failed' | 'waiting' | 'unreached';

/**
 * Delivers queued check-ins one after another, at least once each. Nothing of it is awaited by a verification. While the
 * receiver fails, a timer repeats, if started.
 */
export class CheckInQueue {
  readonly #options: CheckInQueueOptions;
  readonly #cancel = new AbortController();
  #running: Promise<void> | null = null;
  #isWoken = false;
  #isStarted = false;
  #failures = 0;
  /** Whether the receiver did not answer at the last attempt. */
  #isUnreached = false;
  #cancelRetry: (() => void) | null = null;
  readonly #refusals = new Map<number, number>();
  readonly #fails = new Map<number, number>();
  #lastDeliveredAtMs: number | null = null;

  constructor(options: CheckInQueueOptions) {
    this.#options = options;
  }

  /** Time of the last delivery since the start, by the trusted clock. */
  get lastDeliveredAtMs(): number | null {
    return this.#lastDeliveredAtMs;
  }

  /** Delivers what is queued, now or when the pause after a failure is over. */
  wake(): void {
    if (this.#cancel.signal.aborted || this.#cancelRetry !== null) return;
    this.#isWoken = true;
    this.#running ??= this.#run();
  }

  /** The network is there: a receiver that could not be reached is asked at once. */
  reconnected(): void {
    if (this.#isUnreached) this.#endPause();
    this.wake();
  }

  /** Repeats failed deliveries from here on. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Ends repetitions; a running delivery goes on. */
  stop(): void {
    this.#isStarted = false;
    this.#endPause();
  }

  /** Ends a running delivery, and later ones; resolves when nothing runs. */
  async close(): Promise<void> {
    this.stop();
    this.#cancel.abort();
    await this.#running;
  }

  #endPause(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }

  async #run(): Promise<void> {
    while (this.#isWoken) {
      this.#isWoken = false;
      // A failing store ends the pass, and is tried again like a failing receiver.
      const isDone = await this.#pass().catch(() => false);
      if (this.#cancel.signal.aborted) return;
      if (isDone) this.#failures = 0;
      else this.#pause();
    }
    // In the same turn as the last look, so that no call comes in between.
    this.#running = null;
  }

  #pause(): void {
    this.#failures += 1;
    if (!this.#isStarted) return;
    this.#isWoken = false;
    const { timers, random } = this.#options.ports;
    this.#cancelRetry = timers.after(retryDelayMs(this.#failures, random), () => {
      this.#cancelRetry = null;
      this.wake();
    });
  }

  /** @returns false if something is left that has to be tried again later */
  async #pass(): Promise<boolean> {
    const { queue } = this.#options;
    const refused: QueuedRef[] = [];
    /** People of whom something stays. What came later about them waits, so that it arrives in order. */
    const held = new Set<string>();
    let inARow = 0;
    let isComplete = true;
    for (const ref of queue.refs()) {
      const outgoing = await queue.prepare(ref);
      if (outgoing === 'unaddressed') return true;
      if (outgoing === 'gone') {
        this.#options.onFewer();
        continue;
      }
      if (held.has(outgoing.personId)) continue;
      const answer = await this.#send(outgoing);
      if (this.#cancel.signal.aborted) return true;
      this.#isUnreached = answer === 'unreached';
      if (answer === 'waiting') return false;
      if ((answer === 'failed' || answer === 'unreached') && count(this.#fails, ref) <= FAILURES_TO_SKIP) return false;
      if (answer !== 'delivered') {
        if (answer === 'refused') refused.push(ref);
        held.add(outgoing.personId);
        isComplete = false;
        inARow += 1;
        if (inARow === REFUSALS_A_PASS) return false;
        continue;
      }
      inARow = 0;
      this.#failures = 0;
      await this.#settle(ref);
      this.#lastDeliveredAtMs = Math.round(this.#options.nowMs());
      this.#options.onFewer();
      await this.#countRefusals(refused.splice(0));
    }
    return isComplete;
  }

  /** Of check-ins that were refused before another one was accepted. */
  async #countRefusals(refused: readonly QueuedRef[]): Promise<void> {
    for (const ref of refused) if (count(this.#refusals, ref) >= REFUSALS_TO_DROP) await this.#settle(ref);
  }

  async #settle(ref: QueuedRef): Promise<void> {
    await this.#options.queue.settle(ref);
    for (const counts of [this.#refusals, this.#fails]) counts.delete(ref.sequence);
  }

  async #send({ url, headers, body }: OutgoingCheckIn): Promise<Answer> {
    const { transport, timers } = this.#options.ports;
    try {
      const { signal: cancel } = this.#cancel;
      const status = await withTimeout({ timeoutMs: TIMEOUT_MS, timers, cancel }, async (signal) => {
        // The body of the answer is not read; the end of the action ends the request.
        return (await transport({ url, headers, body, signal })).status;
      });
      if (status >= 200 && status < 300) return 'delivered';
      if (status === 500) return 'failed';
      return status >= 400 && status < 500 && !NOT_ABOUT_THE_MESSAGE.includes(status) ? 'refused' : 'waiting';
    } catch {
      return 'unreached';
    }
  }
}

function count(counts: Map<number, number>, { sequence }: QueuedRef): number {
  const next = (counts.get(sequence) ?? 0) + 1;
  counts.set(sequence, next);
  return next;
}
