import type { Snapshot } from './snapshot.ts';
import type { ListName } from './store.ts';

/** What an unchanged device needs to be told; small enough to keep for every list. */
export type ListState = Pick<Snapshot, 'recordCount' | 'stateHash' | 'epochs'>;

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
  readonly #states = new Map<string, { readonly version: number; readonly state: ListState }>();
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
      if (snapshot !== null) this.#keep(name, snapshot);
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

  #keep(name: string, snapshot: Snapshot): void {
    const { recordCount, stateHash, epochs, head, payload } = snapshot;
    if ((this.#states.get(name)?.version ?? -1) > head.version) return;
    this.#states.delete(name);
    this.#states.set(name, { version: head.version, state: { recordCount, stateHash, epochs } });
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= this.#limits.states) break;
      this.#states.delete(oldest);
    }
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
