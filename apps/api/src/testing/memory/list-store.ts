import type { Transaction } from '../../db/connection.ts';
import type { EpochRecord, ListKey, ListRecord, ListStore } from '../../features/lists/store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import {
  byText,
  currentEpochOf,
  keyOf,
  type ListRow,
  listKeyOf,
  type MemoryRows,
  type MemoryTables,
  ofList,
  take,
} from './rows.ts';

const toEpoch = (row: MemoryRows['epochs']): EpochRecord => ({
  epoch: row.epoch,
  engineId: row.engineId,
  dimension: row.dimension,
  matchThreshold: row.matchThreshold,
  checkRecord: row.checkRecord,
});

const toKey = ({ accountId, listId }: ListRecord): ListKey => ({ accountId, listId });

function emptyEpochsOf(tables: MemoryTables, list: ListRecord): number[] {
  const current = currentEpochOf(tables, list);
  const used = new Set(ofList(tables.faces, list).map(({ epoch }) => epoch));
  const epochs = ofList(tables.epochs, list).map(({ epoch }) => epoch);
  return epochs.filter((epoch) => epoch !== current && !used.has(epoch));
}

/** {@link ListStore} on a database in memory. */
export function createMemoryListStore(database: MemoryDatabase): ListStore {
  const present = (list: ListRecord | undefined): ListRecord | null =>
    list === undefined || list.deletingAt !== null ? null : list;

  function change(tx: Transaction, key: ListKey, to: (list: ListRow) => ListRow): ListRow | null {
    const lists = transactionOf(tx).table('lists');
    const list = lists.get(listKeyOf(key));
    if (list === undefined) return null;
    const changed = to(list);
    lists.set(listKeyOf(key), changed);
    return changed;
  }
  const atNextVersion = (list: ListRow): ListRow => ({ ...list, listVersion: list.listVersion + 1 });

  return {
    insert(tx, list) {
      const lists = transactionOf(tx).table('lists');
      const isTaken = [...lists.values()].some(
        (other) =>
          other.accountId === list.accountId &&
          (other.listId === list.listId || (list.eventId !== null && other.eventId === list.eventId)),
      );
      if (!isTaken) lists.set(listKeyOf(list), list);
      return Promise.resolve(!isTaken);
    },
    find: (key) => Promise.resolve(present(database.read().lists.get(listKeyOf(key)))),
    lock: (tx, key) => Promise.resolve(present(transactionOf(tx).tables.lists.get(listKeyOf(key)))),
    lockAtNextVersion(tx, key) {
      const { tables } = transactionOf(tx);
      const list = present(tables.lists.get(listKeyOf(key)));
      const changed = list === null ? null : change(tx, key, atNextVersion);
      return Promise.resolve(changed === null ? null : { ...changed, currentEpoch: currentEpochOf(tables, changed) });
    },
    page(accountId, before, rows, { eventId, ongoing = false } = {}) {
      const lists = [...database.read().lists.values()]
        .filter((list) => list.accountId === accountId && list.deletingAt === null)
        .filter((list) => before === undefined || list.listId < before)
        .filter((list) => eventId === undefined || list.eventId === eventId)
        .filter((list) => !ongoing || list.eventId === null)
        .sort((a, b) => byText(b.listId, a.listId));
      return Promise.resolve(lists.slice(0, rows));
    },
    nextVersion(tx, key) {
      const list = change(tx, key, atNextVersion);
      if (list === null) throw new Error('a locked list has no row');
      return Promise.resolve(list.listVersion);
    },
    setEnrollmentClosed(tx, key, at) {
      change(tx, key, (list) => ({ ...list, enrollmentClosedAt: at }));
      return Promise.resolve();
    },
    setEnded(tx, key, at) {
      change(tx, key, (list) => ({ ...list, endedAt: at }));
      return Promise.resolve();
    },
    setEngine(tx, key, engineId) {
      change(tx, key, (list) => ({ ...list, engineId }));
      return Promise.resolve();
    },
    setSettings(tx, key, { name, headTurnAlternative, reEntry, checkInUrl }) {
      change(tx, key, (list) => ({ ...list, name, headTurnAlternative, reEntry, checkInUrl }));
      return Promise.resolve();
    },
    setCheckInSecret(tx, key, checkInSecretSealed, checkInSecretAt) {
      change(tx, key, (list) => ({ ...list, checkInSecretSealed, checkInSecretAt }));
      return Promise.resolve();
    },
    countByEngine(key, now) {
      const { epochs, faces } = database.read();
      const counts = new Map<string, number>();
      const served = ofList(faces, key).filter((face) => face.withheldVersion === null && face.deleteAfter > now);
      for (const { epoch, engineId } of ofList(epochs, key).sort((a, b) => b.epoch - a.epoch)) {
        const people = served.filter((face) => face.epoch === epoch).length;
        if (people > 0) counts.set(engineId, (counts.get(engineId) ?? 0) + people);
      }
      return Promise.resolve([...counts].map(([engineId, people]) => ({ engineId, people })));
    },
    enginesInUse(now) {
      const open = [...database.read().lists.values()].filter(
        (list) =>
          list.deletingAt === null &&
          list.endedAt === null &&
          list.enrollmentClosedAt === null &&
          (list.retentionDeadline === null || list.retentionDeadline > now),
      );
      return Promise.resolve([...new Set(open.map(({ engineId }) => engineId))].sort());
    },
    nextEpoch(key, tx) {
      const tables = database.read(tx);
      const dropped = tables.droppedEpochs.get(listKeyOf(key))?.lastEpoch ?? 0;
      return Promise.resolve(Math.max(dropped, ...ofList(tables.epochs, key).map(({ epoch }) => epoch)) + 1);
    },
    withEmptyEpochs() {
      const tables = database.read();
      const lists = [...tables.lists.values()].filter((list) => list.deletingAt === null);
      return Promise.resolve(lists.filter((list) => emptyEpochsOf(tables, list).length > 0).map(toKey));
    },
    dropEmptyEpochs(tx, key) {
      const transaction = transactionOf(tx);
      const list = transaction.tables.lists.get(listKeyOf(key));
      const empty = list === undefined ? [] : emptyEpochsOf(transaction.tables, list);
      if (empty.length === 0) return Promise.resolve(0);
      const isEmpty = (row: ListKey & { readonly epoch: number }) =>
        row.accountId === key.accountId && row.listId === key.listId && empty.includes(row.epoch);
      take(transaction.table('epochs'), isEmpty);
      take(transaction.table('removals'), isEmpty);
      const before = transaction.tables.droppedEpochs.get(listKeyOf(key))?.lastEpoch ?? 0;
      const row = { accountId: key.accountId, listId: key.listId, lastEpoch: Math.max(before, ...empty) };
      transaction.table('droppedEpochs').set(listKeyOf(key), row);
      return Promise.resolve(empty.length);
    },
    epochs(key, tx) {
      const rows = ofList(database.read(tx).epochs, key).sort((a, b) => b.epoch - a.epoch);
      return Promise.resolve(rows.map(toEpoch));
    },
    insertEpoch(tx, { accountId, listId }, epoch) {
      const row = { accountId, listId, ...epoch, checkRecord: Buffer.from(epoch.checkRecord) };
      transactionOf(tx)
        .table('epochs')
        .set(keyOf(accountId, listId, epoch.epoch), row);
      return Promise.resolve();
    },
    beginDeletion(tx, key, at, { reason, until }) {
      const transaction = transactionOf(tx);
      const list = transaction.tables.lists.get(listKeyOf(key));
      if (list === undefined) return Promise.resolve(null);
      if (list.deletingAt === null) change(tx, key, (marked) => ({ ...marked, deletingAt: at }));
      const tombstones = transaction.table('tombstones');
      const isOwn = (row: ListKey) => row.accountId === key.accountId && row.listId === key.listId;
      for (const { accountId, listId, deviceId, tokenSha256 } of take(transaction.table('devices'), isOwn)) {
        const name = keyOf(accountId, tokenSha256);
        if (tombstones.has(name)) continue;
        tombstones.set(name, { accountId, listId, deviceId, tokenSha256, reason, expiresAt: until, wipeTold: null });
      }
      return Promise.resolve(list.deletingAt === null ? 'begun' : 'begun-before');
    },
    finishDeletion(tx, key) {
      const transaction = transactionOf(tx);
      const list = transaction.tables.lists.get(listKeyOf(key));
      if (list === undefined || list.deletingAt === null) return Promise.resolve();
      transaction.table('lists').delete(listKeyOf(key));
      const isOwn = (row: ListKey) => row.accountId === key.accountId && row.listId === key.listId;
      take(transaction.table('epochs'), isOwn);
      take(transaction.table('droppedEpochs'), isOwn);
      take(transaction.table('faces'), isOwn);
      take(transaction.table('removals'), isOwn);
      take(transaction.table('people'), isOwn);
      take(transaction.table('devices'), isOwn);
      return Promise.resolve();
    },
    pastDeadline(now, limit) {
      const due = [...database.read().lists.values()]
        .filter((list) => list.deletingAt === null && list.retentionDeadline !== null && list.retentionDeadline <= now)
        .sort((a, b) => Number(a.retentionDeadline) - Number(b.retentionDeadline));
      return Promise.resolve(due.slice(0, limit).map(toKey));
    },
    inDeletion() {
      const going = [...database.read().lists.values()].filter((list) => list.deletingAt !== null);
      return Promise.resolve(going.map(toKey));
    },
  };
}
