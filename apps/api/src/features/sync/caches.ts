import { FULL_WIPE_MS } from '@svc/protocol';
import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../../platform/coalesce.ts';
import type { ListKey } from '../lists/store.ts';
import type { Delta } from './delta.ts';
import type { PackParts, Snapshot } from './snapshot.ts';

/** The state for answers to devices that are up to date; small enough to keep for every list. */
export interface ListState extends Pick<Snapshot, 'recordCount' | 'stateHash' | 'epochs' | 'buckets'> {
  /** Size of the whole pack. */
  readonly packBytes: number;
  /** Of the whole pack, once it was built: a link to it needs no more. */
  readonly packSha256: Buffer | null;
}

/** A state and the version that it belongs to. */
export interface StateAt {
  readonly version: number;
  readonly state: ListState;
}

/**
 * States are limited by an estimate. A payload is dropped after its time, even if it is used; a state after less than
 * removals are remembered, as later states are computed from it.
 */
const LIMITS = {
  ...{ payloadBytes: 128 * 2 ** 20, payloadMs: 10 * 60_000 },
  ...{ stateBytes: 96 * 2 ** 20, stateMs: FULL_WIPE_MS as number },
};
/** A state without bucket hashes, and the bucket hashes of one epoch. */
const [STATE_BYTES, BUCKET_BYTES] = [600, 9_400];

const nameOf = ({ accountId, listId }: ListKey): string => `${accountId} ${listId}`;

/** A large list's newest snapshot, while answers still send it. */
interface SentSnapshot extends Omit<Snapshot, 'payload'> {
  readonly payload: WeakRef<PackParts>;
}

/** Large lists whose answers are remembered while they are sent; an entry takes 8 KB an epoch. */
const MAX_SENT = 1_000;

/**
 * Snapshots by list and version. A version's content never changes, so an entry cannot become stale. Keeps the newest
 * version of each list, and the most recently used lists. A pack above the limit is not kept, but while an answer sends
 * it, the next version takes over its unchanged buckets: the devices that fetch a large list at one time share the
 * memory of one pack, whatever their versions.
 */
export class SnapshotCache {
  readonly #states: LRUCache<string, StateAt>;
  readonly #payloads: LRUCache<string, Snapshot>;
  readonly #sent = new LRUCache<string, SentSnapshot>({ max: MAX_SENT });
  readonly #building = createSingleFlight<Snapshot | null>();

  constructor({ payloadBytes, payloadMs, stateBytes, stateMs } = LIMITS) {
    this.#states = new LRUCache({
      maxSize: stateBytes,
      ttl: stateMs,
      sizeCalculation: ({ state }) => STATE_BYTES + BUCKET_BYTES * (state.buckets?.length ?? 0),
    });
    this.#payloads = new LRUCache({
      maxSize: payloadBytes,
      sizeCalculation: ({ packBytes }) => Math.max(1, packBytes),
      ttl: payloadMs,
      ttlAutopurge: true,
    });
  }

  get payloadBytes(): number {
    return this.#payloads.calculatedSize;
  }

  state(list: ListKey, version: number): ListState | null {
    const kept = this.newest(list);
    return kept?.version === version ? kept.state : null;
  }

  /** The newest known state, as a base for applying later changes. */
  newest(list: ListKey): StateAt | null {
    return this.#states.get(nameOf(list)) ?? null;
  }

  /** Keeps a state that was computed without a snapshot. */
  keep(list: ListKey, version: number, state: ListState): void {
    const kept = this.newest(list);
    const isNews = kept === null || kept.version < version || (kept.version === version && state.packSha256 !== null);
    if (isNews) this.#states.set(nameOf(list), { version, state });
  }

  /**
   * The snapshot of a version or of a later one: cached, or built once for concurrent calls, one build of a list at a
   * time.
   * @param build is given the newest snapshot of a large list that is still in memory, to take over what is unchanged
   * @returns null when the list was deleted
   */
  async snapshot(list: ListKey, version: number, build: (base: Snapshot | null) => Promise<Snapshot | null>) {
    for (;;) {
      const kept = this.#newestSnapshot(list);
      if (kept !== null && kept.head.version >= version) return kept;
      let isOwn = false;
      const built = await this.#building(nameOf(list), async () => {
        isOwn = true;
        const snapshot = await build(kept);
        if (snapshot !== null) this.#keep(list, snapshot);
        return snapshot;
      });
      // Another's build may have begun before this version.
      if (isOwn || built === null || built.head.version >= version) return built;
    }
  }

  /** Drops everything. */
  clear(): void {
    this.#payloads.clear();
    this.#sent.clear();
    this.#states.clear();
  }

  #newestSnapshot(list: ListKey): Snapshot | null {
    const kept = this.#payloads.get(nameOf(list));
    if (kept !== undefined) return kept;
    const sent = this.#sent.get(nameOf(list));
    const payload = sent?.payload.deref();
    return sent === undefined || payload === undefined ? null : { ...sent, payload };
  }

  #keep(list: ListKey, snapshot: Snapshot): void {
    const { recordCount, stateHash, epochs, buckets, head, payload, packBytes, packSha256 } = snapshot;
    if ((this.newest(list)?.version ?? -1) > head.version) return;
    this.keep(list, head.version, { recordCount, stateHash, epochs, buckets, packBytes, packSha256 });
    this.#payloads.set(nameOf(list), snapshot);
    if (payload.length > 1) this.#sent.set(nameOf(list), { ...snapshot, payload: new WeakRef(payload) });
  }
}

const DELTA_LIMITS = { payloadBytes: 32 * 2 ** 20, entries: 2_000 };

/**
 * Deltas by list and versions. The changes between two versions never change, so an entry cannot become stale. Useful
 * because a list's devices request the same delta within minutes. Evicts the least recently used.
 */
export class DeltaCache {
  readonly #kept: LRUCache<string, Delta>;
  readonly #building = createSingleFlight<Delta | null>();

  constructor({ payloadBytes, entries } = DELTA_LIMITS) {
    const sizeCalculation = ({ payload }: Delta) => Math.max(1, payload.length);
    this.#kept = new LRUCache({ max: entries, maxSize: payloadBytes, sizeCalculation });
  }

  get payloadBytes(): number {
    return this.#kept.calculatedSize;
  }

  /** The delta from `since` to `version` or a later one: cached, or built once for concurrent calls. */
  async delta({ accountId, listId }: ListKey, since: number, version: number, build: () => Promise<Delta | null>) {
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

  /** Drops everything. */
  clear(): void {
    this.#kept.clear();
  }
}
