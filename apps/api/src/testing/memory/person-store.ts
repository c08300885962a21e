import type { FoundPerson, PersonRecord, PersonStore } from '../../features/people/store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { byText, faceKeyOf, keyOf, type MemoryRows, type MemoryTables, ofList, personKeyOf } from './rows.ts';

const toPerson = ({ accountId: _account, listId: _list, ...person }: MemoryRows['people']): PersonRecord => person;

function toFound({ epochs }: MemoryTables, row: MemoryRows['people']): FoundPerson {
  const made = epochs.get(keyOf(row.accountId, row.listId, row.face.epoch));
  if (made === undefined) throw new Error('a face without an epoch');
  return { ...toPerson(row), engineId: made.engineId };
}

/** {@link PersonStore} on a database in memory. */
export function createMemoryPersonStore(database: MemoryDatabase): PersonStore {
  return {
    find(key, personId, now, tx) {
      const tables = database.read(tx);
      const row = tables.people.get(personKeyOf(key, personId));
      return Promise.resolve(row === undefined || row.deleteAfter <= now ? null : toFound(tables, row));
    },
    page(key, after, now, rows, epochs) {
      const tables = database.read();
      const people = ofList(tables.people, key)
        .filter((row) => row.deleteAfter > now && (after === undefined || row.rowId > after))
        .filter((row) => epochs === undefined || epochs.includes(row.face.epoch))
        .sort((a, b) => byText(a.rowId, b.rowId));
      return Promise.resolve(people.slice(0, rows).map((row) => toFound(tables, row)));
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
