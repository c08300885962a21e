import type { EventRecord, EventStore } from '../../features/events/store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { byText, keyOf } from './rows.ts';

const eventKeyOf = ({ accountId, eventId }: Pick<EventRecord, 'accountId' | 'eventId'>) => keyOf(accountId, eventId);

/** {@link EventStore} on a database in memory. */
export function createMemoryEventStore(database: MemoryDatabase): EventStore {
  return {
    insert(tx, event) {
      // As in a table: the widget's settings are not set by making an event.
      transactionOf(tx)
        .table('events')
        .set(eventKeyOf(event), { ...event, widget: null });
      return Promise.resolve();
    },
    find: (accountId, eventId) => Promise.resolve(database.read().events.get(keyOf(accountId, eventId)) ?? null),
    hold: (tx, accountId, eventId) =>
      Promise.resolve(transactionOf(tx).tables.events.get(keyOf(accountId, eventId)) ?? null),
    update(tx, event) {
      const events = transactionOf(tx).table('events');
      const before = events.get(eventKeyOf(event));
      if (before !== undefined) events.set(eventKeyOf(event), { ...event, createdAt: before.createdAt });
      return Promise.resolve();
    },
    remove(tx, event) {
      transactionOf(tx).table('events').delete(eventKeyOf(event));
      return Promise.resolve();
    },
    page(accountId, before, rows) {
      const events = [...database.read().events.values()]
        .filter((event) => event.accountId === accountId && (before === undefined || event.eventId < before))
        .sort((a, b) => byText(b.eventId, a.eventId));
      return Promise.resolve(events.slice(0, rows));
    },
  };
}
