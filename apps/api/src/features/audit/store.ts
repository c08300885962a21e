import { columnsIn, columnsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

export interface AuditRecord {
  readonly accountId: string;
  readonly entryId: string;
  readonly recordedAt: Date;
  readonly actorKind: string;
  readonly actorName: string | null;
  /** Of the user that acted, while there is one; not stored with the entry. */
  readonly userName: string | null;
  readonly action: string;
  readonly target: string;
}

/** Adds and reads entries; the table itself rejects everything else. */
export type AuditStore = ReturnType<typeof createAuditStore>;

const STORED = columnsOf<Omit<AuditRecord, 'userName'>>()(
  ['accountId', 'entryId', 'recordedAt', 'actorKind'],
  ['actorName', 'action', 'target'],
);

export function createAuditStore(connection: Connection) {
  return {
    async insert(tx: Transaction | null, entry: Omit<AuditRecord, 'userName'>): Promise<void> {
      await (tx ?? connection)('audit_log').insert(toRow(entry));
    },
    /** Newest first. @param before only entries older than this id @param from only entries from this id on */
    async page(
      accountId: string,
      { before, from }: { readonly before: string | undefined; readonly from: string | undefined },
      rows: number,
    ): Promise<AuditRecord[]> {
      const query = connection('audit_log')
        .leftJoin('users', (join) => {
          join.on('users.account_id', 'audit_log.account_id').andOn('users.user_id', 'audit_log.actor_name');
        })
        .where({ 'audit_log.account_id': accountId });
      if (before !== undefined) query.where('entry_id', '<', before);
      if (from !== undefined) query.where('entry_id', '>=', from);
      return query
        .orderBy('entry_id', 'desc')
        .limit(rows)
        .select({ ...columnsIn('audit_log', STORED), userName: 'users.name' });
    },
  };
}
