import { LEASE_MS } from '@svc/protocol';
import { eachAccount } from '../../db/by-account.ts';
import type { Database, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import type { DeviceSync, DeviceWipe, SyncStore } from './store.ts';

/** An event of a device, with its time. */
export interface DeviceMoment extends ListKey {
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

/** Records and notifies device events after their answers, without delaying these. */
export class DeviceNotices {
  readonly #syncs: MomentRecorder<DeviceSync>;
  readonly #wipes: MomentRecorder<DeviceWipe>;

  constructor(o: {
    readonly database: Pick<Database, 'transaction'>;
    readonly store: Pick<SyncStore, 'recordSyncs' | 'recordWipes'>;
    readonly outbox: Outbox;
    readonly onError: (error: unknown) => void;
  }) {
    const inTransactions =
      <T extends ListKey>(work: (tx: Transaction, accountId: string, own: readonly T[]) => Promise<void>) =>
      async (all: readonly T[]) => {
        await eachAccount(all, (accountId, own) => o.database.transaction((tx) => work(tx, accountId, own)));
      };
    this.#syncs = new MomentRecorder(
      inTransactions(async (tx, accountId, syncs) => {
        for (const { listId, deviceId, before, at } of await o.store.recordSyncs(tx, accountId, syncs, LEASE_MS)) {
          const data = { listId, deviceId, lastSyncAt: before.toISOString(), syncedAt: at.toISOString() };
          await o.outbox.publish(tx, { type: 'device.synced-late', accountId, data });
        }
      }),
      o.onError,
    );
    this.#wipes = new MomentRecorder(
      inTransactions(async (tx, accountId, wipes) => {
        for (const { listId, deviceId, reason } of await o.store.recordWipes(tx, accountId, wipes)) {
          await o.outbox.publish(tx, { type: 'device.wipe-sent', accountId, data: { listId, deviceId, reason } });
        }
      }),
      o.onError,
    );
  }

  /** Call it when a device was sent a complete `keep` answer. */
  synced(sync: DeviceSync): void {
    this.#syncs.record(sync);
  }

  /** Call it when a device was sent a signed wipe. Notified once per reason, even if the device syncs again. */
  wiped(wipe: DeviceWipe): void {
    this.#wipes.record(wipe);
  }

  /** Writes what is pending. */
  async flush(): Promise<void> {
    await Promise.all([this.#syncs.flush(), this.#wipes.flush()]);
  }
}
