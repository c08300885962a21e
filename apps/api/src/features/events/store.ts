import type { EventState, Organiser } from '@svc/protocol';
import { columnsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

export interface EventRecord {
  readonly accountId: string;
  readonly eventId: string;
  readonly name: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** A name of the IANA database, for showing the times. */
  readonly timeZone: string | null;
  readonly country: string | null;
  /** Null before they are set. */
  readonly widget: Organiser | null;
  readonly createdAt: Date;
}

type EventRow = Omit<EventRecord, 'widget'> & {
  readonly organiserName: string | null;
  readonly privacyNoticeUrl: string | null;
};

const COLUMNS = columnsOf<EventRow>()(
  ['accountId', 'eventId', 'name', 'startsAt', 'endsAt', 'timeZone', 'country'],
  ['organiserName', 'privacyNoticeUrl', 'createdAt'],
);

const toEvent = ({ organiserName, privacyNoticeUrl, ...event }: EventRow): EventRecord => ({
  ...event,
  widget: organiserName === null || privacyNoticeUrl === null ? null : { organiserName, privacyNoticeUrl },
});

export type EventStore = ReturnType<typeof createEventStore>;

export function createEventStore(connection: Connection) {
  const events = (on: Connection, accountId: string, eventId: string) =>
    on('events').where({ account_id: accountId, event_id: eventId });
  return {
    async insert(tx: Transaction, event: EventRecord): Promise<void> {
      const { widget: _later, ...row } = event;
      await tx('events').insert(toRow(row));
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
      const { accountId, eventId, createdAt: _kept, widget, ...changes } = event;
      const { organiserName = null, privacyNoticeUrl = null } = widget ?? {};
      await events(tx, accountId, eventId).update(toRow({ ...changes, organiserName, privacyNoticeUrl }));
    },
    /** The caller holds its lock alone and has checked that it has no list. */
    async remove(tx: Transaction, event: EventRecord): Promise<void> {
      await events(tx, event.accountId, event.eventId).delete();
    },
    /** Newest first, older than `before`. @param only those in this state at this time */
    async page(
      accountId: string,
      before: string | undefined,
      rows: number,
      only?: { readonly state: EventState; readonly at: Date },
    ): Promise<EventRecord[]> {
      const query = connection('events').where({ account_id: accountId });
      if (before !== undefined) query.where('event_id', '<', before);
      if (only?.state === 'upcoming') query.where('starts_at', '>', only.at);
      if (only?.state === 'running') query.where('starts_at', '<=', only.at).where('ends_at', '>', only.at);
      if (only?.state === 'over') query.where('ends_at', '<=', only.at);
      const found: EventRow[] = await query.orderBy('event_id', 'desc').limit(rows).select(COLUMNS);
      return found.map(toEvent);
    },
  };
}
