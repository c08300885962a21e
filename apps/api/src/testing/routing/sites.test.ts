import { expect, it } from 'vitest';
import { findSites } from './sites.ts';

const PATH = 'features/things/store.ts';
const found = (text: string) => findSites(PATH, text);
const STORE = `
export function createThingStore(connection: Connection): ThingStore {
  const things = (on: Connection, key: Key) => on('things').where(key);
  return {
    async find(key, tx = undefined) {
      const row = await things(tx ?? connection, key).first();
      return row;
    },
    async count(key) {
      const { rows } = await connection.raw<{ rows: Row[] }>(COUNT, key);
      return rows.length;
    },
    remove: (tx, key) => (tx ?? connection)<Row>('things').where(key).delete(),
  };
}`;

it('finds every place that makes a statement, and every call of a function that makes one', () => {
  expect(found(STORE).sites.map(({ firstLine, name }) => [firstLine, name])).toEqual([
    [3, 'things/store.things'],
    [10, 'things/store.count'],
    [13, 'things/store.remove'],
    [6, 'things/store.find'],
  ]);
});

it.each([
  "connection.from('things');",
  "connection.select('a').from('things');",
  "await database.transaction(async (trx) => trx('things'));",
  "const a = async (db: Transaction) => db('things');",
  "const db = tx ?? connection; db('things');",
])('finds %s', (line) => expect(found(line).sites).toHaveLength(1));

it('finds none where no connection is used', () => {
  expect(found("const a = list.raw('a'); tell('b'); on();").sites).toEqual([]);
});

it.each([
  ['if (a) query.where({ account_id: a });', 1],
  ['if (a) query.where({ list_id: a });', 0],
  ["if (a) query.orWhere('b', a);", 1],
  ["if (a) await connection('b').where({ account_id: a });", 0],
  [`const sql = ${'`SELECT $'}{a ? 'WHERE account_id = 1' : ''}${'`'};`, 1],
  [`const sql = ${'`SELECT $'}{a ? 'WHERE list_id = 1' : ''}${'`'};`, 0],
  [`const sql = ${'`SELECT $'}{accountId === null ? '' : OWN}${'`'};`, 1],
  ["const where = a ? 'WHERE account_id = 1' : '';", 1],
  ['await (a ? query.where({ account_id: a }) : query);', 1],
  ['a && query.where({ account_id: a });', 1],
])('tells of a condition on the account that is not always there: %s', (line, count) => {
  expect(found(`async function a(connection, query) { await connection('b'); ${line} }`).conditional).toHaveLength(
    count,
  );
});
