import type { DeviceRecord, DeviceStore } from '../../features/devices/store.ts';
import type { EndStore } from '../../features/events/end-store.ts';
import type { EventRecord, EventStore } from '../../features/events/store.ts';
import type { ListCountStore, ListCounts } from '../../features/lists/count-store.ts';
import type { ListKey } from '../../features/lists/store.ts';
import type { EnrolmentStore } from '../../features/people/enrolment-store.ts';
import type { ExpiryStore } from '../../features/people/expiry-store.ts';
import type { FoundPerson, PeopleFilter, PeopleOrder, PersonRecord, PersonStore } from '../../features/people/store.ts';
import type { RetentionStore } from '../../features/retention/store.ts';
import type { Bill, UsageStore } from '../../features/usage/store.ts';
import { createMemoryAccountStore } from './account-store.ts';
import { createMemoryListStore } from './list-store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { createMemoryRestoreStore } from './restore-store.ts';
import {
  type AccountRow,
  byText,
  currentEpochOf,
  type DeviceRow,
  faceKeyOf,
  keyOf,
  listKeyOf,
  type MemoryRows,
  type MemoryTables,
  ofList,
  personKeyOf,
  take,
} from './rows.ts';
import { createMemorySyncStore } from './sync-store.ts';

const toPerson = ({ accountId: _account, listId: _list, ...person }: MemoryRows['people']): PersonRecord => person;

function toFound({ epochs }: MemoryTables, row: MemoryRows['people']): FoundPerson {
  const made = epochs.get(keyOf(row.accountId, row.listId, row.face.epoch));
  if (made === undefined) throw new Error('a face without an epoch');
  return { ...toPerson(row), engineId: made.engineId };
}

type Person = MemoryRows['people'];

const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

const COMPARISONS: Record<PeopleOrder['by'], (a: Person, b: Person) => number> = {
  oldest: (a, b) => byText(a.rowId, b.rowId),
  newest: (a, b) => byText(b.rowId, a.rowId),
  deadline: (a, b) => a.deleteAfter.getTime() - b.deleteAfter.getTime() || byText(a.rowId, b.rowId),
  personId: (a, b) => byCodePoint(a.personId, b.personId),
};

const isAfter = (order: PeopleOrder) => (person: Person) =>
  order.after === undefined || COMPARISONS[order.by](person, { ...person, ...order.after }) > 0;

function selected(
  tables: Pick<MemoryTables, 'people'>,
  key: ListKey,
  { epochs, prefix = '', deadlineAfter, deadlineBefore }: PeopleFilter,
): Person[] {
  return ofList(tables.people, key)
    .filter(({ deleteAfter }) => deleteAfter > deadlineAfter)
    .filter(({ deleteAfter }) => deadlineBefore === undefined || deleteAfter < deadlineBefore)
    .filter(({ face }) => epochs === undefined || epochs.includes(face.epoch))
    .filter(({ personId }) => personId.startsWith(prefix));
}

/** {@link PersonStore} on a database in memory. */
function createMemoryPersonStore(database: MemoryDatabase): PersonStore {
  return {
    find(key, personId, now, tx) {
      const tables = database.read(tx);
      const row = tables.people.get(personKeyOf(key, personId));
      return Promise.resolve(row === undefined || row.deleteAfter <= now ? null : toFound(tables, row));
    },
    page(key, filter, order, rows) {
      const tables = database.read();
      const people = selected(tables, key, filter).filter(isAfter(order)).sort(COMPARISONS[order.by]);
      return Promise.resolve(people.slice(0, rows).map((row) => toFound(tables, row)));
    },
    count(key, filter, { epochs, dueAt }) {
      const people = selected(database.read(), key, filter);
      const others = people.filter(({ deleteAfter, face }) => deleteAfter > dueAt && !epochs.includes(face.epoch));
      return Promise.resolve({
        people: people.length,
        due: people.filter(({ deleteAfter }) => deleteAfter <= dueAt).length,
        ofOtherEpochs: others.length,
        nextDeadline: people.sort(COMPARISONS.deadline)[0]?.deleteAfter ?? null,
      });
    },
    findAny(tx, key, personId) {
      const row = transactionOf(tx).tables.people.get(personKeyOf(key, personId));
      return Promise.resolve(row === undefined ? null : toPerson(row));
    },
    put(tx, { accountId, listId }, person, { record, version }) {
      const transaction = transactionOf(tx);
      const key = { accountId, listId };
      const face = { epoch: person.face.epoch, tag: Buffer.from(person.face.tag) };
      transaction.table('removals').delete(faceKeyOf(key, face));
      const { deleteAfter } = person;
      transaction.table('faces').set(faceKeyOf(key, face), {
        ...{ ...key, ...face, deleteAfter, version, withheldVersion: null },
        record: Buffer.from(record),
      });
      transaction.table('people').set(personKeyOf(key, person.personId), { ...key, ...person, face });
      return Promise.resolve();
    },
    remove(tx, key, personId) {
      transactionOf(tx).table('people').delete(personKeyOf(key, personId));
      return Promise.resolve();
    },
    faceVersion: (tx, key, face) =>
      Promise.resolve(transactionOf(tx).tables.faces.get(faceKeyOf(key, face))?.version ?? null),
    removeFace(tx, { accountId, listId }, { epoch, tag }, version, at) {
      const transaction = transactionOf(tx);
      const name = faceKeyOf({ accountId, listId }, { epoch, tag });
      transaction.table('faces').delete(name);
      transaction.table('removals').set(name, { accountId, listId, epoch, tag, version, removedAt: at });
      return Promise.resolve();
    },
  };
}

const toBill = (row: AccountRow): Bill => ({
  isSuspended: row.suspendedAt !== null,
  plan: row.plan,
  planPeople: row.planPeople,
  period: row.period,
  periodStartedAt: row.periodStartedAt,
  people: row.peopleBilled,
});

/** {@link UsageStore} on a database in memory. */
function createMemoryUsageStore(database: MemoryDatabase): UsageStore {
  const billOf = (row: AccountRow | undefined) => Promise.resolve(row === undefined ? null : toBill(row));
  return {
    read: (accountId) => billOf(database.read().accounts.get(accountId)),
    lock: (tx, accountId) => billOf(transactionOf(tx).tables.accounts.get(accountId)),
    isBilled: (accountId, period, personHmac) =>
      Promise.resolve(database.read().billedPeople.has(keyOf(accountId, period, personHmac))),
    add(tx, accountId, personHmac) {
      const transaction = transactionOf(tx);
      const account = transaction.tables.accounts.get(accountId);
      if (account === undefined) return Promise.resolve(null);
      const before = toBill(account);
      const { period } = before;
      const key = keyOf(accountId, period, personHmac);
      const isNew = !transaction.tables.billedPeople.has(key);
      if (isNew) {
        transaction.table('billedPeople').set(key, { accountId, period });
        transaction.table('accounts').set(accountId, { ...account, peopleBilled: account.peopleBilled + 1 });
      }
      return Promise.resolve({ before, isNew });
    },
    setPlan(tx, accountId, plan, planPeople) {
      const accounts = transactionOf(tx).table('accounts');
      const account = accounts.get(accountId);
      if (account !== undefined) accounts.set(accountId, { ...account, plan, planPeople });
      return Promise.resolve();
    },
    startPeriod(tx, accountId, period, at) {
      const transaction = transactionOf(tx);
      const account = transaction.tables.accounts.get(accountId);
      if (account === undefined) return Promise.resolve();
      transaction.table('accounts').set(accountId, { ...account, period, periodStartedAt: at, peopleBilled: 0 });
      take(transaction.table('billedPeople'), (row) => row.accountId === accountId && row.period < period);
      return Promise.resolve();
    },
  };
}

/** {@link ExpiryStore} on a database in memory. */
function createMemoryExpiryStore(database: MemoryDatabase): ExpiryStore {
  return {
    listsWithExpired(now, rows) {
      const due = [...database.read().people.values()]
        .filter((person) => person.deleteAfter <= now)
        .sort((a, b) => a.deleteAfter.getTime() - b.deleteAfter.getTime());
      const lists = new Map<string, ListKey>();
      for (const { accountId, listId } of due.slice(0, rows)) lists.set(listId, { accountId, listId });
      return Promise.resolve([...lists.values()]);
    },
    takeExpired(tx, key, now, limit) {
      const transaction = transactionOf(tx);
      const due = ofList(transaction.tables.people, key)
        .filter((person) => person.deleteAfter <= now)
        .sort((a, b) => a.deleteAfter.getTime() - b.deleteAfter.getTime())
        .slice(0, limit);
      const expired = due.flatMap(({ personId, deleteAfter, face }) => {
        transaction.table('people').delete(personKeyOf(key, personId));
        const row = transaction.tables.faces.get(faceKeyOf(key, face));
        if (row === undefined) return [];
        transaction.table('faces').delete(faceKeyOf(key, face));
        const { epoch, tag, version, withheldVersion } = row;
        return [{ personId, deleteAfter, epoch, tag, version, isWithheld: withheldVersion !== null }];
      });
      return Promise.resolve(expired);
    },
    noteRemovals(tx, { accountId, listId }, removed, at) {
      const transaction = transactionOf(tx);
      const list = transaction.tables.lists.get(listKeyOf({ accountId, listId }));
      if (list === undefined) return Promise.resolve();
      const removals = transaction.table('removals');
      for (const [nth, { epoch, tag }] of removed.entries()) {
        const version = list.listVersion + nth + 1;
        const row = { accountId, listId, epoch, tag, version, removedAt: at };
        removals.set(faceKeyOf(row, row), row);
      }
      const listVersion = list.listVersion + removed.length;
      transaction.table('lists').set(listKeyOf(list), { ...list, listVersion });
      return Promise.resolve();
    },
  };
}

const eventKeyOf = ({ accountId, eventId }: Pick<EventRecord, 'accountId' | 'eventId'>) => keyOf(accountId, eventId);

/** {@link EventStore} on a database in memory. */
function createMemoryEventStore(database: MemoryDatabase): EventStore {
  return {
    insert(tx, event) {
      // As in the table: creating an event does not set the widget's settings.
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
    page(accountId, before, rows, only) {
      const isIn = ({ startsAt, endsAt }: EventRecord) =>
        only === undefined || (only.at < startsAt ? 'upcoming' : only.at < endsAt ? 'running' : 'over') === only.state;
      const events = [...database.read().events.values()]
        .filter((event) => event.accountId === accountId && (before === undefined || event.eventId < before))
        .filter(isIn)
        .sort((a, b) => byText(b.eventId, a.eventId));
      return Promise.resolve(events.slice(0, rows));
    },
  };
}

/** {@link EndStore} on a database in memory, which has no enrolment tokens. */
function createMemoryEndStore(): EndStore {
  return {
    lockList(tx, { accountId, eventId }) {
      const { lists } = transactionOf(tx).tables;
      const list = [...lists.values()].find((row) => row.accountId === accountId && row.eventId === eventId);
      if (list === undefined) return Promise.resolve(null);
      const { listId, retainDays, retentionDeadline, deletingAt } = list;
      return Promise.resolve({ accountId, listId, retainDays, retentionDeadline, deletingAt });
    },
    moveDeadline(tx, key, deadline) {
      const transaction = transactionOf(tx);
      const list = transaction.tables.lists.get(listKeyOf(key));
      if (list === undefined) return Promise.resolve();
      const isOwn = (row: { readonly accountId: string; readonly listId: string }) =>
        row.accountId === key.accountId && row.listId === key.listId;
      const moved = { ...list, retentionDeadline: deadline, listVersion: list.listVersion + 1 };
      transaction.table('lists').set(listKeyOf(key), moved);
      const devices = transaction.table('devices');
      for (const [name, row] of devices) if (isOwn(row)) devices.set(name, { ...row, expiresAt: deadline });
      const faces = transaction.table('faces');
      for (const [name, row] of faces) {
        if (isOwn(row) && row.deleteAfter > deadline) faces.set(name, { ...row, deleteAfter: deadline });
      }
      const people = transaction.table('people');
      for (const [name, row] of people) {
        if (isOwn(row) && row.deleteAfter > deadline) people.set(name, { ...row, deleteAfter: deadline });
      }
      return Promise.resolve();
    },
    shortenTokens: () => Promise.resolve(),
  };
}

const toDevice = (row: DeviceRow): DeviceRecord => {
  const { publicKey: _key, counter: _counter, ...device } = row;
  return device;
};

/** {@link DeviceStore} on a database in memory. */
function createMemoryDeviceStore(database: MemoryDatabase): DeviceStore {
  return {
    insert(tx, device) {
      const counter = { last: 0, shown: 0, before: 0, floor: 0 };
      const row = { ...device, publicKey: null, counter };
      transactionOf(tx)
        .table('devices')
        .set(keyOf(device.accountId, device.listId, device.deviceId), row);
      return Promise.resolve();
    },
    find: ({ accountId, listId, deviceId }) => {
      const row = database.read().devices.get(keyOf(accountId, listId, deviceId));
      return Promise.resolve(row === undefined || row.revokedAt !== null ? null : toDevice(row));
    },
    lock(tx, { accountId, listId, deviceId }) {
      const row = transactionOf(tx).tables.devices.get(keyOf(accountId, listId, deviceId));
      return Promise.resolve(row === undefined || row.revokedAt !== null ? null : toDevice(row));
    },
    rename(tx, { accountId, listId, deviceId }, name) {
      const devices = transactionOf(tx).table('devices');
      const row = devices.get(keyOf(accountId, listId, deviceId));
      if (row !== undefined) devices.set(keyOf(accountId, listId, deviceId), { ...row, name });
      return Promise.resolve();
    },
    page(list, revoked, before, rows) {
      const devices = ofList(database.read().devices, list)
        .filter(({ revokedAt }) => (revokedAt !== null) === revoked)
        .filter(({ deviceId }) => before === undefined || deviceId < before)
        .sort((a, b) => byText(b.deviceId, a.deviceId));
      return Promise.resolve(devices.slice(0, rows).map(toDevice));
    },
    revoke(tx, { accountId, listId, deviceId }, revokedAt) {
      const devices = transactionOf(tx).table('devices');
      const row = devices.get(keyOf(accountId, listId, deviceId));
      if (row === undefined) return Promise.resolve(null);
      if (row.revokedAt !== null) return Promise.resolve('unchanged');
      devices.set(keyOf(accountId, listId, deviceId), { ...row, revokedAt });
      return Promise.resolve(row.publicKey === null ? 'revoked-unused' : 'revoked');
    },
  };
}

type Timed = 'removals' | 'tombstones' | 'devices';

/** {@link RetentionStore} on a database in memory. */
function createMemoryRetentionStore(database: MemoryDatabase): RetentionStore {
  function deleteOldest<N extends Timed>(
    name: N,
    timeOf: (row: MemoryRows[N]) => Date | null,
    at: Date,
    limit: number,
  ) {
    return database.change((tx) => {
      const table = tx.table(name);
      const old = [...table]
        .flatMap(([key, row]) => {
          const time = timeOf(row);
          return time === null || time > at ? [] : [{ key, time: time.getTime() }];
        })
        .sort((a, b) => a.time - b.time)
        .slice(0, limit);
      for (const { key } of old) table.delete(key);
      return old.length;
    });
  }
  return {
    deleteRemovals: (before, limit) => deleteOldest('removals', (row) => row.removedAt, before, limit),
    deleteTombstones: (expiry, limit) => deleteOldest('tombstones', (row) => row.expiresAt, expiry, limit),
    deleteRevokedDevices: (before, limit) => deleteOldest('devices', (row) => row.revokedAt, before, limit),
  };
}

/** {@link EnrolmentStore} on a database in memory. */
function createMemoryEnrolmentStore(database: MemoryDatabase): EnrolmentStore {
  return {
    find(key) {
      const tables = database.read();
      const { lists, accounts } = tables;
      const list = lists.get(listKeyOf(key));
      const account = accounts.get(key.accountId);
      if (list === undefined || list.deletingAt !== null || account === undefined) return Promise.resolve(null);
      return Promise.resolve({ list, bill: toBill(account), epoch: currentEpochOf(tables, list) });
    },
    // There is no audit log in memory: answers to devices do not depend on it.
    isOver: () => Promise.resolve(false),
  };
}

/** {@link ListCountStore} on a database in memory, which has no enrolment tokens. */
function createMemoryListCountStore(database: MemoryDatabase): Pick<ListCountStore, 'ofLists' | 'ofEvents'> {
  function countsOf(tables: MemoryTables, list: MemoryRows['lists'], now: Date): ListCounts {
    const isOver = list.retentionDeadline !== null && list.retentionDeadline <= now;
    return {
      listId: list.listId,
      eventId: list.eventId,
      people: isOver ? 0 : ofList(tables.people, list).length,
      devices: ofList(tables.devices, list).filter((device) => device.revokedAt === null).length,
    };
  }
  const of = (tables: MemoryTables, accountId: string) =>
    [...tables.lists.values()].filter((list) => list.accountId === accountId && list.deletingAt === null);
  return {
    ofLists(accountId, listIds, now, tx) {
      const tables = database.read(tx);
      const lists = of(tables, accountId).filter((list) => listIds.includes(list.listId));
      return Promise.resolve(new Map(lists.map((list) => [list.listId, countsOf(tables, list, now)])));
    },
    ofEvents(accountId, eventIds, now, tx) {
      const tables = database.read(tx);
      const counts = new Map<string, ListCounts>();
      for (const list of of(tables, accountId)) {
        if (list.eventId !== null && eventIds.includes(list.eventId)) {
          counts.set(list.eventId, countsOf(tables, list, now));
        }
      }
      return Promise.resolve(counts);
    },
  };
}

/** Every store on a database in memory; `stores.contract.test.ts` compares each with its PostgreSQL counterpart. */
export function createMemoryStores(database: MemoryDatabase) {
  return {
    accounts: createMemoryAccountStore(database),
    usage: createMemoryUsageStore(database),
    events: createMemoryEventStore(database),
    ends: createMemoryEndStore(),
    lists: createMemoryListStore(database),
    counts: createMemoryListCountStore(database),
    people: createMemoryPersonStore(database),
    enrolment: createMemoryEnrolmentStore(database),
    expiry: createMemoryExpiryStore(database),
    devices: createMemoryDeviceStore(database),
    sync: createMemorySyncStore(database),
    retention: createMemoryRetentionStore(database),
    restore: createMemoryRestoreStore(database),
  };
}

export type MemoryStores = ReturnType<typeof createMemoryStores>;
