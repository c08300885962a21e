import type { Connection, Transaction } from '../../db/connection.ts';

export interface EventRecord {
  readonly accountId: string;
  readonly eventId: string;
  readonly name: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly country: string | null;
  readonly createdAt: Date;
}

interface EventRow {
  readonly account_id: string;
  readonly event_id: string;
  readonly name: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly country: string | null;
  readonly created_at: Date;
}

const toEvent = (row: EventRow): EventRecord => ({
  accountId: row.account_id,
  eventId: row.event_id,
  name: row.name,
  startsAt: row.starts_at,
  endsAt: row.ends_at,
  country: row.country,
  createdAt: row.created_at,
});

export interface EventStore {
  insert(tx: Transaction, event: EventRecord): Promise<void>;
  find(accountId: string, eventId: string, tx?: Transaction): Promise<EventRecord | null>;
  /** Newest first, those made before the one named. */
  page(accountId: string, before: string | undefined, rows: number): Promise<EventRecord[]>;
}

export function createEventStore(connection: Connection): EventStore {
  return {
    async insert(tx, event) {
      await tx('events').insert({
        account_id: event.accountId,
        event_id: event.eventId,
        name: event.name,
        starts_at: event.startsAt,
        ends_at: event.endsAt,
        country: event.country,
        created_at: event.createdAt,
      });
    },
    async find(accountId, eventId, tx = undefined) {
      const row = await (tx ?? connection)<EventRow>('events')
        .where({ account_id: accountId, event_id: eventId })
        .first();
      return row === undefined ? null : toEvent(row);
    },
    async page(accountId, before, rows) {
      const query = connection<EventRow>('events').where({ account_id: accountId });
      if (before !== undefined) query.where('event_id', '<', before);
      return (await query.orderBy('event_id', 'desc').limit(rows)).map(toEvent);
    },
  };
}
