import type { Connection } from '../db/connection.ts';
import { decodeErasure, type ErasureMemory, encodeErasure } from './erasure-memory.ts';

interface ErasureRow {
  readonly seq: number;
  readonly erasure: string;
  readonly remembered_at: Date;
}

interface SeenRow {
  readonly account_id: string;
  readonly list_id: string;
  readonly version: number;
}

/** PostgreSQL accepts 65,535 values per statement. */
const INSERT_ROWS = 1_000;

const NOTE_VERSION = `
INSERT INTO list_versions_seen (account_id, list_id, version) VALUES (?, ?, ?)
ON CONFLICT (list_id) DO UPDATE SET version = excluded.version WHERE list_versions_seen.version < excluded.version`;

/** The erasure memory in the key store's tables; needs the row in `key_store`. */
export function createPostgresErasureMemory(connection: Connection): ErasureMemory {
  return {
    async remember(erasures, atMs) {
      if (erasures.length === 0) return;
      await connection.transaction(async (tx) => {
        // The row's lock makes entries become readable in the order of their numbers.
        const [row]: { last_seq: number }[] = await tx('key_store')
          .increment('last_seq', erasures.length)
          .returning('last_seq');
        if (row === undefined) throw new Error('the key store was not opened');
        const first = row.last_seq - erasures.length + 1;
        const at = new Date(atMs);
        const rows = erasures.map((each, i) => ({ seq: first + i, erasure: encodeErasure(each), remembered_at: at }));
        for (let i = 0; i < rows.length; i += INSERT_ROWS) await tx('erasures').insert(rows.slice(i, i + INSERT_ROWS));
      });
    },
    async last() {
      const row: { last_seq: number } | undefined = await connection('key_store').first('last_seq');
      return row?.last_seq ?? 0;
    },
    async after(seq, limit) {
      const rows: ErasureRow[] = await connection('erasures').where('seq', '>', seq).orderBy('seq').limit(limit);
      return rows.map((row) => ({
        seq: row.seq,
        atMs: row.remembered_at.getTime(),
        erasure: decodeErasure(row.erasure),
      }));
    },
    async noteVersion({ accountId, listId, version }) {
      await connection.raw(NOTE_VERSION, [accountId, listId, version]);
    },
    async seenVersions(afterListId, limit) {
      const rows: SeenRow[] = await connection('list_versions_seen')
        .where('list_id', '>', afterListId)
        .orderBy('list_id')
        .limit(limit);
      return rows.map((row) => ({ accountId: row.account_id, listId: row.list_id, version: row.version }));
    },
    async forget(beforeMs, through) {
      const before = new Date(beforeMs);
      await connection.transaction(async (tx) => {
        const gone = await tx('erasures').where('remembered_at', '<', before).where('seq', '<=', through).delete();
        if (gone > 0) await tx('key_store').update({ forgotten_before: before });
        await tx('shredded_owners').where('shredded_at', '<', before).delete();
      });
    },
    async continueAfter(seq, forgottenBeforeMs) {
      await connection('key_store').update({
        last_seq: connection.raw('greatest(last_seq, ?::bigint)', [seq]),
        ...(forgottenBeforeMs === null ? {} : { forgotten_before: new Date(forgottenBeforeMs) }),
      });
    },
    async forgottenBefore() {
      const row: { forgotten_before: Date | null } | undefined =
        await connection('key_store').first('forgotten_before');
      return row?.forgotten_before?.getTime() ?? null;
    },
  };
}
