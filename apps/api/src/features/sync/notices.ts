import { LEASE_MS } from '@svc/protocol';
import { eachAccount } from '../../db/by-account.ts';
import type { Database, Transaction } from '../../db/connection.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import { MomentRecorder } from './moment-recorder.ts';
import type { DeviceSync, DeviceWipe, ListName, SyncStore } from './store.ts';

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
      <T extends ListName>(work: (tx: Transaction, accountId: string, own: readonly T[]) => Promise<void>) =>
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
