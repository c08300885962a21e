import type { EventState, Organiser } from '@svc/protocol';
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

interface EventRow {
  readonly account_id: string;
  readonly event_id: string;
  readonly name: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly time_zone: string | null;
  readonly country: string | null;
  readonly organiser_name: string | null;
  readonly privacy_notice_url: string | null;
  readonly created_at: Date;
}

const toWidget = ({ organiser_name, privacy_notice_url }: EventRow): Organiser | null =>
  organiser_name === null || privacy_notice_url === null
    ? null
    : { organiserName: organiser_name, privacyNoticeUrl: privacy_notice_url };

const toEvent = (row: EventRow): EventRecord => ({
  accountId: row.account_id,
  eventId: row.event_id,
  name: row.name,
  startsAt: row.starts_at,
  endsAt: row.ends_at,
  timeZone: row.time_zone,
  country: row.country,
  widget: toWidget(row),
  createdAt: row.created_at,
});

export type EventStore = ReturnType<typeof createEventStore>;

export function createEventStore(connection: Connection) {
  const events = (on: Connection, accountId: string, eventId: string) =>
    on<EventRow>('events').where({ account_id: accountId, event_id: eventId });
  return {
    async insert(tx: Transaction, event: EventRecord): Promise<void> {
      await tx('events').insert({
        account_id: event.accountId,
        event_id: event.eventId,
        name: event.name,
        starts_at: event.startsAt,
        ends_at: event.endsAt,
        time_zone: event.timeZone,
        country: event.country,
        created_at: event.createdAt,
      });
    },
    async find(accountId: string, eventId: string): Promise<EventRecord | null> {
      const row = await events(connection, accountId, eventId).first();
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
      const query = events(tx, accountId, eventId).first();
      const row = await (how === 'shared' ? query.forShare() : query.forUpdate());
      return row === undefined ? null : toEvent(row);
    },
    /** Writes the event's changeable fields; the caller holds its lock alone. */
    async update(tx: Transaction, event: EventRecord): Promise<void> {
      await events(tx, event.accountId, event.eventId).update({
        name: event.name,
        starts_at: event.startsAt,
        ends_at: event.endsAt,
        time_zone: event.timeZone,
        country: event.country,
        organiser_name: event.widget?.organiserName ?? null,
        privacy_notice_url: event.widget?.privacyNoticeUrl ?? null,
      });
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
      const query = connection<EventRow>('events').where({ account_id: accountId });
      if (before !== undefined) query.where('event_id', '<', before);
      if (only?.state === 'upcoming') query.where('starts_at', '>', only.at);
      if (only?.state === 'running') query.where('starts_at', '<=', only.at).where('ends_at', '>', only.at);
      if (only?.state === 'over') query.where('ends_at', '<=', only.at);
      return (await query.orderBy('event_id', 'desc').limit(rows)).map(toEvent);
    },
  };
}
