import type { Snapshot } from './snapshot.ts';
import type { ListName } from './store.ts';

/** What an unchanged device needs to be told; small enough to keep for every list. */
export interface ListState extends Pick<Snapshot, 'recordCount' | 'stateHash' | 'epochs' | 'buckets'> {
  /** Bytes of the whole pack. */
  readonly packBytes: number;
}

/** A state and what it is of. */
export interface StateAt {
  readonly version: number;
  readonly state: ListState;
}

export interface SnapshotCacheLimits {
  /** Payload bytes kept at most. */
  readonly payloadBytes: number;
  /** States kept at most. */
  readonly states: number;
  /** A payload is let go after this time, used or not. */
  readonly payloadMs: number;
}

const LIMITS: SnapshotCacheLimits = { payloadBytes: 128 * 2 ** 20, states: 10_000, payloadMs: 10 * 60_000 };

const nameOf = ({ accountId, listId }: ListName): string => `${accountId} ${listId}`;

/**
 * Snapshots by list and version. A version's content never changes, so nothing here can be stale: whoever knows the
 * version may use what is kept under it. Of each list only the newest is kept.
 */
export class SnapshotCache {
  readonly #limits: SnapshotCacheLimits;
  readonly #states = new Map<string, StateAt>();
  readonly #payloads = new Map<string, { readonly snapshot: Snapshot; readonly drop: NodeJS.Timeout }>();
  readonly #building = new Map<string, Promise<Snapshot | null>>();
  #bytes = 0;

  constructor(limits: SnapshotCacheLimits = LIMITS) {
    this.#limits = limits;
  }

  get payloadBytes(): number {
    return this.#bytes;
  }

  state(list: ListName, version: number): ListState | null {
    const kept = this.#states.get(nameOf(list));
    return kept?.version === version ? kept.state : null;
  }

  /** The newest state that is known, for what can be made of it and of the changes since. */
  newest(list: ListName): StateAt | null {
    return this.#states.get(nameOf(list)) ?? null;
  }

  /** Keeps a state that was not made of a snapshot. */
  keep(list: ListName, version: number, state: ListState): void {
    const name = nameOf(list);
    if ((this.#states.get(name)?.version ?? -1) >= version) return;
    this.#states.delete(name);
    this.#states.set(name, { version, state });
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= this.#limits.states) break;
      this.#states.delete(oldest);
    }
  }

  /**
   * The snapshot of a version or of one after it: kept, or built once however many ask for it meanwhile.
   * @returns null when the list is gone
   */
  async snapshot(list: ListName, version: number, build: () => Promise<Snapshot | null>): Promise<Snapshot | null> {
    const name = nameOf(list);
    const kept = this.#payloads.get(name);
    if (kept?.snapshot.head.version === version) return kept.snapshot;
    const key = `${name} ${version}`;
    const running = this.#building.get(key);
    if (running !== undefined) return running;
    const building = build();
    this.#building.set(key, building);
    try {
      const snapshot = await building;
      if (snapshot !== null) this.#keep(list, snapshot);
      return snapshot;
    } finally {
      this.#building.delete(key);
    }
  }

  /** Lets everything go. */
  clear(): void {
    for (const name of this.#payloads.keys()) this.#drop(name);
    this.#states.clear();
  }

  #keep(list: ListName, snapshot: Snapshot): void {
    const { recordCount, stateHash, epochs, buckets, head, payload } = snapshot;
    const name = nameOf(list);
    if ((this.#states.get(name)?.version ?? -1) > head.version) return;
    this.keep(list, head.version, { recordCount, stateHash, epochs, buckets, packBytes: payload.length });
    this.#drop(name);
    if (payload.length > this.#limits.payloadBytes) return;
    for (const oldest of this.#payloads.keys()) {
      if (this.#bytes + payload.length <= this.#limits.payloadBytes) break;
      this.#drop(oldest);
    }
    const drop = setTimeout(() => this.#drop(name), this.#limits.payloadMs);
    drop.unref();
    this.#payloads.set(name, { snapshot, drop });
    this.#bytes += payload.length;
  }

  #drop(name: string): void {
    const kept = this.#payloads.get(name);
    if (kept === undefined) return;
    clearTimeout(kept.drop);
    this.#payloads.delete(name);
    this.#bytes -= kept.snapshot.payload.length;
  }
}
