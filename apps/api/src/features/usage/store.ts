import type { Connection, Transaction } from '../../db/connection.ts';

/** The account's bill: its plan, and how many people the plan's period already counts. */
export interface Bill {
  readonly plan: string | null;
  readonly period: number;
  readonly people: number;
}

interface BillRow {
  readonly plan: string | null;
  readonly plan_period: number;
  readonly people_billed: number;
}

export interface UsageStore {
  read(accountId: string): Promise<Bill | null>;
  /** Reads the bill and keeps it from changing until the transaction ends. */
  lock(tx: Transaction, accountId: string): Promise<Bill | null>;
  isBilled(accountId: string, period: number, personHmac: Buffer, tx?: Transaction): Promise<boolean>;
  /** Counts one more person; the caller holds the lock and knows that he is not counted yet. */
  add(tx: Transaction, accountId: string, period: number, personHmac: Buffer, at: Date): Promise<void>;
}

const toBill = (row: BillRow | undefined): Bill | null =>
  row === undefined ? null : { plan: row.plan, period: row.plan_period, people: row.people_billed };

export function createUsageStore(connection: Connection): UsageStore {
  const bill = (on: Connection, accountId: string) =>
    on<BillRow & { account_id: string }>('accounts')
      .where({ account_id: accountId })
      .first('plan', 'plan_period', 'people_billed');
  return {
    read: async (accountId) => toBill(await bill(connection, accountId)),
    lock: async (tx, accountId) => toBill(await bill(tx, accountId).forNoKeyUpdate()),
    async isBilled(accountId, period, personHmac, tx = undefined) {
      const row = await (tx ?? connection)('billed_people')
        .where({ account_id: accountId, plan_period: period, person_hmac: personHmac })
        .first('plan_period');
      return row !== undefined;
    },
    async add(tx, accountId, period, personHmac, at) {
      await tx('billed_people').insert({
        account_id: accountId,
        plan_period: period,
        person_hmac: personHmac,
        first_enrolled_at: at,
      });
      await tx('accounts').where({ account_id: accountId }).increment('people_billed', 1);
    },
  };
}
