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

interface AuditRow {
  readonly account_id: string;
  readonly entry_id: string;
  readonly recorded_at: Date;
  readonly actor_kind: string;
  readonly actor_name: string | null;
  readonly user_name: string | null;
  readonly action: string;
  readonly target: string;
}

/** Adds and reads entries; the table itself rejects everything else. */
export type AuditStore = ReturnType<typeof createAuditStore>;

const toRecord = (row: AuditRow): AuditRecord => ({
  accountId: row.account_id,
  entryId: row.entry_id,
  recordedAt: row.recorded_at,
  actorKind: row.actor_kind,
  actorName: row.actor_name,
  userName: row.user_name,
  action: row.action,
  target: row.target,
});

export function createAuditStore(connection: Connection) {
  return {
    async insert(tx: Transaction | null, entry: Omit<AuditRecord, 'userName'>): Promise<void> {
      await (tx ?? connection)('audit_log').insert({
        account_id: entry.accountId,
        entry_id: entry.entryId,
        recorded_at: entry.recordedAt,
        actor_kind: entry.actorKind,
        actor_name: entry.actorName,
        action: entry.action,
        target: entry.target,
      });
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
      const found: AuditRow[] = await query
        .orderBy('entry_id', 'desc')
        .limit(rows)
        .select('audit_log.*', 'users.name AS user_name');
      return found.map(toRecord);
    },
  };
}
