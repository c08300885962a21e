import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Database, openDatabase, type Transaction } from '../../db/connection.ts';
import { createMigratedDatabase } from '../../testing/postgres.ts';
import { createSyncStore } from './store.ts';

const FACES = 5_000;
const list = { accountId: 'acc_1', listId: 'lst_1' };
const key = { account_id: list.accountId, list_id: list.listId };
const now = new Date('2026-03-02T10:00:00Z');
let database: Database;

beforeAll(async () => {
  database = openDatabase({ target: { connectionString: await createMigratedDatabase(inject('postgres')) } });
});
afterAll(() => database.close());

/** Two epochs with due faces and one face that is not due, inserted without statistics for the planner. */
async function fill(tx: Transaction): Promise<void> {
  await tx('accounts').insert({
    account_id: list.accountId,
    name: 'Test',
    billing_currency: 'EUR',
    created_at: now,
  });
  await tx('lists').insert({
    ...key,
    name: 'Members',
    retain_days: 0,
    list_version: 7,
    created_at: now,
  });
  for (const epoch of [1, 2]) {
    const engine = { engine_id: 'engine', dimension: 128, match_threshold: 0.5, check_record: Buffer.alloc(16) };
    await tx('list_epochs').insert({ ...key, epoch, ...engine, created_at: now });
  }
  await tx.raw(
    `INSERT INTO faces (account_id, list_id, epoch, tag, record, delete_after, version)
    SELECT ?, ?, 1 + n % 2, decode(md5(CAST(n AS text)), 'hex'), '', CASE n WHEN 0 THEN timestamptz 'infinity' ELSE ? END, 7
    FROM generate_series(0, ?) n`,
    [list.accountId, list.listId, now, FACES],
  );
}

it('withholds a whole list whose faces the planner knows nothing of by reading each of them a few times', async () => {
  await database.transaction(async (tx) => {
    await fill(tx);
    const read = async () => {
      const { rows } = await tx.raw<{ rows: { read: number }[] }>(
        "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_xact_user_tables WHERE relname = 'faces'",
      );
      return rows[0]?.read ?? Number.NaN;
    };
    const before = await read();
    await createSyncStore(database.connection).withholdDue(tx, list, now, now);
    expect((await read()) - before).toBeLessThan(10 * FACES);
  });
  const { connection } = database;
  const withheld: { epoch: number; tag: Buffer; version: number }[] = await connection('faces')
    .where(key)
    .whereNotNull('withheld_version')
    .orderBy('withheld_version')
    .select('epoch', 'tag', 'withheld_version as version');
  const noted = await connection('face_removals').where(key).orderBy('version').select('epoch', 'tag', 'version');
  expect(withheld).toEqual(noted);
  expect(withheld.map(({ version }) => version)).toEqual(Array.from({ length: FACES }, (_, nth) => 8 + nth));
  expect(await connection('lists').where(key).first('list_version')).toEqual({ list_version: 7 + FACES });
});

it('writes batches of the same devices at the same time, in any order, without a deadlock', async () => {
  const fleet = { account_id: 'acc_2', list_id: 'lst_2' };
  const { connection } = database;
  await connection('accounts').insert({
    account_id: fleet.account_id,
    name: 'Test',
    billing_currency: 'EUR',
    created_at: now,
  });
  await connection('lists').insert({ ...fleet, name: 'Doors', retain_days: 0, created_at: now });
  const syncs = Array.from({ length: 200 }, (_, nth) => {
    const device = { accountId: fleet.account_id, listId: fleet.list_id, deviceId: `dev_${nth}` };
    return {
      ...{ ...device, at: now, shown: null, reason: 'account-suspended' as const },
      ...{ pack: { version: 1, people: 1 }, heldVersion: 1, software: { sdkVersion: null, engineIds: [] } },
    };
  });
  await connection('devices').insert(
    syncs.map(({ deviceId }, nth) => ({
      ...fleet,
      device_id: deviceId,
      token_sha256: Buffer.alloc(32, nth),
      created_at: now,
    })),
  );
  const store = createSyncStore(connection);
  const orders = [syncs, syncs.toReversed(), [...syncs.slice(100), ...syncs.slice(0, 100)]];
  // As many at a time as there are connections, so that none waits long for one.
  for (let round = 0; round < 8; round += 1) {
    await Promise.all(
      orders.flatMap((order) => [
        store.issueCounters(order),
        database.transaction((tx) => store.recordSyncs(tx, fleet.account_id, order, 0)),
        database.transaction((tx) => store.recordWipes(tx, fleet.account_id, order)),
      ]),
    );
  }
  const { rows } = await connection.raw('SELECT DISTINCT sync_counter FROM devices WHERE list_id = ?', [fleet.list_id]);
  expect(rows).toEqual([{ sync_counter: 24 }]);
});
