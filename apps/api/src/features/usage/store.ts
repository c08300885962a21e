import type { AccountMode } from '@svc/protocol';
import { rowsOf } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

/** The account's bill: its plan, and the number of people counted in the period. */
export interface Bill {
  readonly isSuspended: boolean;
  readonly plan: string | null;
  /** The contract's allowance. */
  readonly planPeople: number | null;
  readonly period: number;
  readonly periodStartedAt: Date;
  readonly people: number;
  /** A test account's bill stays empty. */
  readonly mode: AccountMode;
}

export interface BillRow {
  readonly account_id: string;
  readonly suspended_at: Date | null;
  readonly plan: string | null;
  readonly plan_people: number | null;
  readonly plan_period: number;
  readonly plan_period_started_at: Date | null;
  readonly created_at: Date;
  readonly people_billed: number;
  readonly mode: AccountMode;
}

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Columns of `accounts`. */
export const BILL_COLUMNS: (keyof BillRow)[] = [
  'account_id',
  'suspended_at',
  'plan',
  'plan_people',
  'plan_period',
  'plan_period_started_at',
  'created_at',
  'people_billed',
  'mode',
];

const ADD = `
WITH account AS MATERIALIZED (
  SELECT ${BILL_COLUMNS.join(', ')} FROM accounts WHERE account_id = :accountId FOR NO KEY UPDATE
), added AS (
  INSERT INTO billed_people (account_id, plan_period, person_hmac, first_enrolled_at)
  SELECT :accountId, plan_period, :personHmac::bytea, :at::timestamptz FROM account WHERE mode = 'live'
  ON CONFLICT DO NOTHING
  RETURNING account_id
), counted AS (
  UPDATE accounts SET people_billed = people_billed + 1 FROM added WHERE accounts.account_id = :accountId
)
SELECT ${BILL_COLUMNS.join(', ')}, EXISTS (SELECT FROM added) AS is_new FROM account`;

export const toBill = (row: Omit<BillRow, 'account_id'>): Bill => ({
  isSuspended: row.suspended_at !== null,
  plan: row.plan,
  planPeople: row.plan_people,
  period: row.plan_period,
  periodStartedAt: row.plan_period_started_at ?? row.created_at,
  people: row.people_billed,
  mode: row.mode,
});

export function createUsageStore(connection: Connection) {
  const account = (on: Connection, accountId: string) =>
    on<BillRow>('accounts').where({ account_id: accountId }).first(BILL_COLUMNS);
  const orNull = (row: BillRow | undefined): Bill | null => (row === undefined ? null : toBill(row));
  return {
    read: async (accountId: string): Promise<Bill | null> => orNull(await account(connection, accountId)),
    /** Reads the bill and locks it until the transaction ends. */
    lock: async (tx: Transaction, accountId: string): Promise<Bill | null> =>
      orNull(await account(tx, accountId).forNoKeyUpdate()),
    async isBilled(accountId: string, period: number, personHmac: Buffer): Promise<boolean> {
      const row = await connection('billed_people')
        .where({ account_id: accountId, plan_period: period, person_hmac: personHmac })
        .first('plan_period');
      return row !== undefined;
    },
    /**
     * Counts a person in the plan's period, unless counted already, and locks the bill until the transaction ends. A
     * single statement, as others wait for the account's row.
     * @returns the bill before, and whether the person is new on it; null when there is no such account
     */
    async add(
      tx: Transaction,
      accountId: string,
      personHmac: Buffer,
      at: Date,
    ): Promise<{ readonly before: Bill; readonly isNew: boolean } | null> {
      const [row] = await rowsOf<BillRow & { readonly is_new: boolean }>(tx, ADD, { accountId, personHmac, at });
      return row === undefined ? null : { before: toBill(row), isNew: row.is_new };
    },
    /** The caller holds the lock. */
    async setPlan(tx: Transaction, accountId: string, plan: string | null, planPeople: number | null): Promise<void> {
      await tx('accounts').where({ account_id: accountId }).update({ plan, plan_people: planPeople });
    },
    /** Starts a period without people and forgets those of the former; the caller holds the lock. */
    async startPeriod(tx: Transaction, accountId: string, period: number, at: Date): Promise<void> {
      await tx('accounts')
        .where({ account_id: accountId })
        .update({ plan_period: period, plan_period_started_at: at, people_billed: 0 });
      await tx('billed_people').where({ account_id: accountId }).andWhere('plan_period', '<', period).delete();
    },
  };
}
