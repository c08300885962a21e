import { coalesce } from '../coalesce.ts';
import type { Connection } from '../db/connection.ts';
import type { KeyName, KeyStore } from './key-store.ts';

interface WrappedKeyRow {
  readonly owner_id: string;
  readonly epoch: number;
  readonly kek_id: string;
  readonly wrapped: Buffer;
}

/** Arbitrary, the same in every node: keeps two first starts from each bringing a KEK of its own. */
const KEK_LOCK = 7_291_043_559;

/** Locks on an owner, so that no key is added while its owner's are shredded. */
const OWNER_LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended(?, 7291043560))';

const where = (name: KeyName) => ({ owner_id: name.ownerId, epoch: name.epoch });

const GET_KEYS = `
SELECT owner_id, epoch, kek_id, wrapped
FROM wrapped_keys JOIN unnest(?::text[], ?::integer[]) AS asked (owner_id, epoch) USING (owner_id, epoch)`;

const textOf = ({ ownerId, epoch }: KeyName): string => `${ownerId} ${epoch}`;

/** A key store in tables of a PostgreSQL database. */
export function createPostgresKeyStore(connection: Connection): KeyStore {
  const get = coalesce(async (names: readonly KeyName[]) => {
    const owners = names.map(({ ownerId }) => ownerId);
    const epochs = names.map(({ epoch }) => epoch);
    const { rows } = await connection.raw<{ rows: WrappedKeyRow[] }>(GET_KEYS, [owners, epochs]);
    const found = new Map(
      rows.map((row) => [
        textOf({ ownerId: row.owner_id, epoch: row.epoch }),
        { kekId: row.kek_id, bytes: row.wrapped },
      ]),
    );
    return names.map((name) => found.get(textOf(name)) ?? null);
  });
  return {
    add(name, key, createdAtMs) {
      return connection.transaction(async (tx) => {
        await tx.raw(OWNER_LOCK, [name.ownerId]);
        if ((await tx('shredded_owners').where({ owner_id: name.ownerId }).first('owner_id')) !== undefined) {
          return 'shredded';
        }
        const added = await tx('wrapped_keys')
          .insert({
            ...where(name),
            kek_id: key.kekId,
            wrapped: Buffer.from(key.bytes),
            created_at: new Date(createdAtMs),
          })
          .onConflict(['owner_id', 'epoch'])
          .ignore()
          .returning('epoch');
        return added.length === 1 ? 'added' : 'taken';
      });
    },
    get,
    async shred(ownerId, atMs) {
      await connection.transaction(async (tx) => {
        await tx.raw(OWNER_LOCK, [ownerId]);
        await tx('shredded_owners')
          .insert({ owner_id: ownerId, shredded_at: new Date(atMs) })
          .onConflict('owner_id')
          .ignore();
        await tx('wrapped_keys').where({ owner_id: ownerId }).delete();
      });
    },
    async replace(name, from, to) {
      const replaced = await connection('wrapped_keys')
        .where({ ...where(name), kek_id: from.kekId, wrapped: Buffer.from(from.bytes) })
        .update({ kek_id: to.kekId, wrapped: Buffer.from(to.bytes) });
      return replaced === 1;
    },
    async page(after, limit) {
      const query = connection<WrappedKeyRow>('wrapped_keys').orderBy(['owner_id', 'epoch']).limit(limit);
      if (after !== null) query.whereRaw('(owner_id, epoch) > (?, ?)', [after.ownerId, after.epoch]);
      return (await query).map((row) => ({
        name: { ownerId: row.owner_id, epoch: row.epoch },
        key: { kekId: row.kek_id, bytes: row.wrapped },
      }));
    },
    async countByKek() {
      const rows: { kek_id: string; keys: number }[] = await connection('wrapped_keys')
        .groupBy('kek_id')
        .select('kek_id', connection.raw('count(*) AS keys'));
      return new Map(rows.map((row) => [row.kek_id, row.keys]));
    },
    rememberKek(kekId, seenAtMs, known) {
      return connection.transaction(async (tx) => {
        await tx.raw('SELECT pg_advisory_xact_lock(?)', [KEK_LOCK]);
        const remembered: string[] = await tx('key_encryption_keys').pluck('kek_id');
        if (remembered.length > 0 && !remembered.some((id) => known.includes(id))) return remembered;
        if (remembered.includes(kekId)) return remembered;
        await tx('key_encryption_keys').insert({ kek_id: kekId, first_seen: new Date(seenAtMs) });
        return [...remembered, kekId];
      });
    },
  };
}
