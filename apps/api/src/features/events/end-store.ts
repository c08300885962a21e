import { columnsOf } from '../../db/columns.ts';
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

const LIST = columnsOf<EventList>()(['accountId', 'listId', 'retainDays', 'retentionDeadline', 'deletingAt']);

export function createEndStore() {
  const rows = (on: Connection, table: string, { accountId, listId }: EventListKey) =>
    on(table).where({ account_id: accountId, list_id: listId });
  return {
    /** The event's list, even in deletion, locked until the transaction ends. */
    async lockList(
      tx: Transaction,
      { accountId, eventId }: Pick<EventRecord, 'accountId' | 'eventId'>,
    ): Promise<EventList | null> {
      const list = tx('lists').where({ account_id: accountId, event_id: eventId }).first(LIST).forUpdate();
      return (await list) ?? null;
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
