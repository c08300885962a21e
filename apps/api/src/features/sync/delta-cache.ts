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
  readonly #limits: DeltaCacheLimits;
  readonly #kept = new Map<string, Delta>();
  readonly #building = new Map<string, Promise<Delta | null>>();
  #bytes = 0;

  constructor(limits: DeltaCacheLimits = LIMITS) {
    this.#limits = limits;
  }

  get payloadBytes(): number {
    return this.#bytes;
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
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept;
    }
    const running = this.#building.get(name);
    if (running !== undefined) return running;
    const building = build();
    this.#building.set(name, building);
    try {
      const delta = await building;
      if (delta !== null) this.#keep(nameFor(delta.head.version), delta);
      return delta;
    } finally {
      this.#building.delete(name);
    }
  }

  /** Lets everything go. */
  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #keep(name: string, delta: Delta): void {
    if (delta.payload.length > this.#limits.payloadBytes || this.#kept.has(name)) return;
    this.#kept.set(name, delta);
    this.#bytes += delta.payload.length;
    for (const [oldest, { payload }] of this.#kept) {
      if (this.#bytes <= this.#limits.payloadBytes && this.#kept.size <= this.#limits.entries) break;
      this.#kept.delete(oldest);
      this.#bytes -= payload.length;
    }
  }
}
