import type { Connection, Transaction } from '../../db/connection.ts';
import type { EventRecord } from './store.ts';

/** Properties of an event's list that depend on the event's end. */
export interface EventList {
  readonly accountId: string;
  readonly listId: string;
  readonly retainDays: number;
  readonly retentionDeadline: Date | null;
  readonly deletingAt: Date | null;
}

type EventListKey = Pick<EventList, 'accountId' | 'listId'>;

export type EndStore = ReturnType<typeof createEndStore>;

interface ListRow {
  readonly account_id: string;
  readonly list_id: string;
  readonly retain_days: number;
  readonly retention_deadline: Date | null;
  readonly deleting_at: Date | null;
}

export function createEndStore() {
  const rows = (on: Connection, table: string, { accountId, listId }: EventListKey) =>
    on(table).where({ account_id: accountId, list_id: listId });
  return {
    /** The event's list, even in deletion, locked until the transaction ends. */
    async lockList(
      tx: Transaction,
      { accountId, eventId }: Pick<EventRecord, 'accountId' | 'eventId'>,
    ): Promise<EventList | null> {
      const row: ListRow | undefined = await tx('lists')
        .where({ account_id: accountId, event_id: eventId })
        .first('account_id', 'list_id', 'retain_days', 'retention_deadline', 'deleting_at')
        .forUpdate();
      if (row === undefined) return null;
      return {
        accountId: row.account_id,
        listId: row.list_id,
        retainDays: row.retain_days,
        retentionDeadline: row.retention_deadline,
        deletingAt: row.deleting_at,
      };
    },
    /**
     * Moves a list's deadline and its devices' expiry. Shortens faces and people beyond it and lengthens none. Increases
     * the list's version, so that devices and nodes notice the new deadline. The caller holds the list's lock.
     */
    async moveDeadline(tx: Transaction, list: EventListKey, deadline: Date): Promise<void> {
      // Millions of rows may take longer than the normal limit.
      await tx.raw('SET LOCAL statement_timeout = 0');
      await rows(tx, 'lists', list).update({
        retention_deadline: deadline,
        list_version: tx.raw('list_version + 1'),
        people_version: tx.raw('people_version + 1'),
      });
      // In the order in which syncs write devices.
      await rows(tx, 'devices', list).orderBy('device_id').forNoKeyUpdate().select('device_id');
      await rows(tx, 'devices', list).update({ expires_at: deadline });
      for (const table of ['faces', 'people']) {
        await rows(tx, table, list).where('delete_after', '>', deadline).update({ delete_after: deadline });
      }
    },
    /** Shortens the list's tokens to `endsAt`. The caller holds the list's lock. */
    async shortenTokens(tx: Transaction, list: EventListKey, endsAt: Date): Promise<void> {
      await rows(tx, 'enrolment_tokens', list).where('expires_at', '>', endsAt).update({ expires_at: endsAt });
    },
  };
}
