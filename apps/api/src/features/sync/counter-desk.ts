import { coalesce } from '../../platform/coalesce.ts';
import type { CountedSync } from './store.ts';

/** Gives out the numbers of syncs, those of one moment with one statement. Of a device that asks twice at once each has a turn of its own. */
export class CounterDesk {
  readonly #issue: (sync: CountedSync) => Promise<number | null>;
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(issue: (syncs: readonly CountedSync[]) => Promise<(number | null)[]>) {
    this.#issue = coalesce(issue);
  }

  /** @returns null for a device that is gone */
  async issue(sync: CountedSync): Promise<number | null> {
    const { deviceId } = sync;
    const before = this.#turns.get(deviceId) ?? Promise.resolve();
    const issued = before.catch(() => undefined).then(() => this.#issue(sync));
    this.#turns.set(deviceId, issued);
    try {
      return await issued;
    } finally {
      if (this.#turns.get(deviceId) === issued) this.#turns.delete(deviceId);
    }
  }
}
