import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../../platform/coalesce.ts';
import type { Delta } from './delta.ts';
import type { ListName } from './store.ts';

export interface DeltaCacheLimits {
  /** Payload bytes kept at most. */
  readonly payloadBytes: number;
  /** Deltas kept at most. */
  readonly entries: number;
}

const LIMITS: DeltaCacheLimits = { payloadBytes: 32 * 2 ** 20, entries: 2_000 };

/**
 * Deltas by list and versions. What lies between two versions never changes, so nothing here can be stale; it is kept because the
 * devices of a list ask for the same within minutes. The least recently used go first.
 */
export class DeltaCache {
  readonly #kept: LRUCache<string, Delta>;
  readonly #building = createSingleFlight<Delta | null>();

  constructor({ payloadBytes, entries }: DeltaCacheLimits = LIMITS) {
    const sizeCalculation = ({ payload }: Delta) => Math.max(1, payload.length);
    this.#kept = new LRUCache({ max: entries, maxSize: payloadBytes, sizeCalculation });
  }

  get payloadBytes(): number {
    return this.#kept.calculatedSize;
  }

  /** What leads from `since` to `version` or to one after it: kept, or built once however many ask for it meanwhile. */
  async delta(
    { accountId, listId }: ListName,
    since: number,
    version: number,
    build: () => Promise<Delta | null>,
  ): Promise<Delta | null> {
    const nameFor = (to: number) => `${accountId} ${listId} ${since} ${to}`;
    const name = nameFor(version);
    return (
      this.#kept.get(name) ??
      this.#building(name, async () => {
        const delta = await build();
        if (delta !== null) this.#kept.set(nameFor(delta.head.version), delta);
        return delta;
      })
    );
  }

  /** Lets everything go. */
  clear(): void {
    this.#kept.clear();
  }
}
