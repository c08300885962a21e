import type { ListName } from './store.ts';

/** An event of a device, with its time. */
export interface DeviceMoment extends ListName {
  readonly deviceId: string;
  readonly at: Date;
}

const FLUSH_MS = 1000;
const MAX_PENDING = 100_000;

/**
 * Keeps the latest event of each device and writes them in batches within a second, so that a sync needs no write of
 * its own.
 */
export class MomentRecorder<T extends DeviceMoment> {
  readonly #write: (syncs: readonly T[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #pending = new Map<string, T>();
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();

  /** @param onError called when a batch could not be written; its events stay pending */
  constructor(write: (syncs: readonly T[]) => Promise<void>, onError: (error: unknown) => void) {
    this.#write = write;
    this.#onError = onError;
  }

  record(sync: T): void {
    this.#remember(sync);
    this.#schedule();
  }

  /** Writes pending events, after the current write. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flushing = this.#flushing.then(() => this.#writePending());
    return this.#flushing;
  }

  #remember(sync: T): void {
    const key = `${sync.accountId} ${sync.deviceId}`;
    const earlier = this.#pending.get(key);
    if (earlier !== undefined && earlier.at >= sync.at) return;
    if (earlier === undefined && this.#pending.size >= MAX_PENDING) return;
    this.#pending.set(key, sync);
  }

  #schedule(): void {
    if (this.#timer !== null || this.#pending.size === 0) return;
    this.#timer = setTimeout(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  async #writePending(): Promise<void> {
    const batch = [...this.#pending.values()];
    if (batch.length === 0) return;
    this.#pending = new Map();
    try {
      await this.#write(batch);
    } catch (error) {
      for (const sync of batch) this.#remember(sync);
      this.#schedule();
      this.#onError(error);
    }
  }
}
