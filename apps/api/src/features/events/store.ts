import type { EventState, Metadata, Organiser } from '@svc/protocol';
import { columnsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';

export interface EventRecord {
  readonly accountId: string;
  readonly eventId: string;
  readonly name: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** A name of the IANA database, for showing the times. */
  readonly timeZone: string | null;
  /** One line, for guests. */
  readonly place: string | null;
  readonly country: string | null;
  /** Null before they are set. */
  readonly widget: Organiser | null;
  readonly metadata: Metadata;
  readonly createdAt: Date;
}

/** Properties of an event's list that depend on the event's end. */
export interface EventList extends ListKey {
  readonly retainDays: number;
  readonly retentionDeadline: Date | null;
  readonly deletingAt: Date | null;
}

type EndedEvent = Pick<EventRecord, 'accountId' | 'eventId' | 'endsAt'>;

type EventRow = Omit<EventRecord, 'widget'> & {
  readonly organiserName: string | null;
  readonly privacyNoticeUrl: string | null;
};

const COLUMNS = columnsOf<EventRow>()(
  ['accountId', 'eventId', 'name', 'startsAt', 'endsAt', 'timeZone', 'place', 'country'],
  ['organiserName', 'privacyNoticeUrl', 'metadata', 'createdAt'],
);
const ENDED = columnsOf<EndedEvent>()(['accountId', 'eventId', 'endsAt']);
const LIST = columnsOf<EventList>()(['accountId', 'listId', 'retainDays', 'retentionDeadline', 'deletingAt']);

const toEvent = ({ organiserName, privacyNoticeUrl, ...event }: EventRow): EventRecord => ({
  ...event,
  widget: organiserName === null || privacyNoticeUrl === null ? null : { organiserName, privacyNoticeUrl },
});

const toEventRow = ({ widget, ...event }: EventRecord): EventRow => ({
  ...event,
  organiserName: widget?.organiserName ?? null,
  privacyNoticeUrl: widget?.privacyNoticeUrl ?? null,
});

export type EventStore = ReturnType<typeof createEventStore>;

export function createEventStore(connection: Connection) {
  const events = (on: Connection, accountId: string, eventId: string) =>
    on('events').where({ account_id: accountId, event_id: eventId });
  const ofList = (tx: Transaction, table: string, { accountId, listId }: ListKey) =>
    tx(table).where({ account_id: accountId, list_id: listId });
  return {
    async insert(tx: Transaction, event: EventRecord): Promise<void> {
      await tx('events').insert(toRow(toEventRow(event)));
    },
    async find(accountId: string, eventId: string): Promise<EventRecord | null> {
      const row: EventRow | undefined = await events(connection, accountId, eventId).first(COLUMNS);
      return row === undefined ? null : toEvent(row);
    },
    /**
     * As `find`, and locks the row until the transaction ends: `shared` for those who depend on it, `alone` to change it.
     */
    async hold(
      tx: Transaction,
      accountId: string,
      eventId: string,
      how: 'shared' | 'alone',
    ): Promise<EventRecord | null> {
      const query = events(tx, accountId, eventId).first(COLUMNS);
      const row: EventRow | undefined = await (how === 'shared' ? query.forShare() : query.forUpdate());
      return row === undefined ? null : toEvent(row);
    },
    /** Writes the event's changeable fields; the caller holds its lock alone. */
    async update(tx: Transaction, event: EventRecord): Promise<void> {
      const { accountId, eventId, createdAt: _kept, ...changes } = toEventRow(event);
      await events(tx, accountId, eventId).update(toRow(changes));
    },
    /** The caller holds its lock alone and has checked that it has no list. */
    async remove(tx: Transaction, event: EventRecord): Promise<void> {
      await events(tx, event.accountId, event.eventId).delete();
    },
    /** Newest first, older than `before`. @param only those in this state at this time, or with all of this metadata */
    async page(
      accountId: string,
      before: string | undefined,
      rows: number,
      only: { readonly state: EventState | undefined; readonly at: Date; readonly metadata: Metadata | undefined },
    ): Promise<EventRecord[]> {
      const query = connection('events').where({ account_id: accountId });
      if (before !== undefined) query.where('event_id', '<', before);
      if (only.metadata !== undefined) query.whereRaw('metadata @> ?', [JSON.stringify(only.metadata)]);
      if (only.state === 'upcoming') query.where('starts_at', '>', only.at);
      if (only.state === 'running') query.where('starts_at', '<=', only.at).where('ends_at', '>', only.at);
      if (only.state === 'over') query.where('ends_at', '<=', only.at);
      const found: EventRow[] = await query.orderBy('event_id', 'desc').limit(rows).select(COLUMNS);
      return found.map(toEvent);
    },
    /** Events of all accounts whose present end has passed and was not told, the earliest first. */
    withUntoldEnd: async (now: Date, limit: number): Promise<EndedEvent[]> =>
      connection('events')
        .comment('all accounts')
        .where('ends_at', '<=', now)
        .whereRaw('ended_told IS DISTINCT FROM ends_at')
        .orderBy('ends_at')
        .limit(limit)
        .select(ENDED),
    /** @returns false when the end was told by another node, or moved */
    async noteEndTold(tx: Transaction, { accountId, eventId, endsAt }: EndedEvent): Promise<boolean> {
      const untold = events(tx, accountId, eventId)
        .where({ ends_at: endsAt })
        .whereRaw('ended_told IS DISTINCT FROM ends_at');
      return (await untold.update({ ended_told: endsAt })) === 1;
    },
    /** The event's list, even in deletion, locked until the transaction ends. */
    async lockList(
      tx: Transaction,
      { accountId, eventId }: Pick<EventRecord, 'accountId' | 'eventId'>,
    ): Promise<EventList | null> {
      return (await tx('lists').where({ account_id: accountId, event_id: eventId }).first(LIST).forUpdate()) ?? null;
    },
    /**
     * Moves a list's deadline and its devices' expiry. Shortens faces and people beyond it and lengthens none. Increases
     * the list's version, so that devices and nodes notice the new deadline. The caller holds the list's lock.
     */
    async moveDeadline(tx: Transaction, list: ListKey, deadline: Date): Promise<void> {
      // Millions of rows may take longer than the normal limit.
      await tx.raw('SET LOCAL statement_timeout = 0');
      await ofList(tx, 'lists', list).update({
        retention_deadline: deadline,
        list_version: tx.raw('list_version + 1'),
        people_version: tx.raw('people_version + 1'),
      });
      // In the order in which syncs write devices.
      await ofList(tx, 'devices', list).orderBy('device_id').forNoKeyUpdate().select('device_id');
      await ofList(tx, 'devices', list).update({ expires_at: deadline });
      for (const table of ['faces', 'people']) {
        await ofList(tx, table, list).where('delete_after', '>', deadline).update({ delete_after: deadline });
      }
    },
    /** Shortens the list's tokens to `endsAt`. The caller holds the list's lock. */
    async shortenTokens(tx: Transaction, list: ListKey, endsAt: Date): Promise<void> {
      await ofList(tx, 'enrolment_tokens', list).where('expires_at', '>', endsAt).update({ expires_at: endsAt });
    },
  };
}
