import type { Connection, Transaction } from '../../db/connection.ts';

/** The account's bill: its plan, and how many people the plan's period already counts. */
export interface Bill {
  readonly isSuspended: boolean;
  readonly plan: string | null;
  /** What a contract allows. */
  readonly planPeople: number | null;
  readonly period: number;
  readonly periodStartedAt: Date;
  readonly people: number;
}

interface BillRow {
  readonly account_id: string;
  readonly suspended_at: Date | null;
  readonly plan: string | null;
  readonly plan_people: number | null;
  readonly plan_period: number;
  readonly plan_period_started_at: Date | null;
  readonly created_at: Date;
  readonly people_billed: number;
}

export interface UsageStore {
  read(accountId: string): Promise<Bill | null>;
  /** Reads the bill and keeps it from changing until the transaction ends. */
  lock(tx: Transaction, accountId: string): Promise<Bill | null>;
  isBilled(accountId: string, period: number, personHmac: Buffer, tx?: Transaction): Promise<boolean>;
  /** Counts one more person, unless he is counted already; the caller holds the lock. */
  add(tx: Transaction, accountId: string, period: number, personHmac: Buffer, at: Date): Promise<void>;
  /** The caller holds the lock. */
  setPlan(tx: Transaction, accountId: string, plan: string | null, planPeople: number | null): Promise<void>;
  /** Starts a period that counts nobody yet, and forgets who was counted before; the caller holds the lock. */
  startPeriod(tx: Transaction, accountId: string, period: number, at: Date): Promise<void>;
}

const ADD = `
WITH added AS (
  INSERT INTO billed_people (account_id, plan_period, person_hmac, first_enrolled_at)
  VALUES (:accountId, :period, :personHmac, :at)
  ON CONFLICT DO NOTHING
  RETURNING account_id
)
UPDATE accounts SET people_billed = people_billed + 1 FROM added WHERE accounts.account_id = added.account_id`;

const toBill = (row: BillRow | undefined): Bill | null =>
  row === undefined
    ? null
    : {
        isSuspended: row.suspended_at !== null,
        plan: row.plan,
        planPeople: row.plan_people,
        period: row.plan_period,
        periodStartedAt: row.plan_period_started_at ?? row.created_at,
        people: row.people_billed,
      };

export function createUsageStore(connection: Connection): UsageStore {
  const account = (on: Connection, accountId: string) => on<BillRow>('accounts').where({ account_id: accountId });
  return {
    read: async (accountId) => toBill(await account(connection, accountId).first()),
    lock: async (tx, accountId) => toBill(await account(tx, accountId).first().forNoKeyUpdate()),
    async isBilled(accountId, period, personHmac, tx = undefined) {
      const row = await (tx ?? connection)('billed_people')
        .where({ account_id: accountId, plan_period: period, person_hmac: personHmac })
        .first('plan_period');
      return row !== undefined;
    },
    async add(tx, accountId, period, personHmac, at) {
      await tx.raw(ADD, { accountId, period, personHmac, at });
    },
    async setPlan(tx, accountId, plan, planPeople) {
      await tx('accounts').where({ account_id: accountId }).update({ plan, plan_people: planPeople });
    },
    async startPeriod(tx, accountId, period, at) {
      await tx('accounts')
        .where({ account_id: accountId })
        .update({ plan_period: period, plan_period_started_at: at, people_billed: 0 });
      await tx('billed_people').where({ account_id: accountId }).andWhere('plan_period', '<', period).delete();
    },
  };
}
