import type { Connection } from './connection.ts';

/** Statements under way at one time for one batch, so that a batch of many accounts leaves connections to others. */
const LANES = 4;

/**
 * Works on items account by account, so that each statement and each transaction is of one account's rows, which a
 * database spread by account has on one node.
 * @returns the results, in no particular order
 */
export async function eachAccount<T extends { readonly accountId: string }, R>(
  items: readonly T[],
  work: (accountId: string, own: readonly T[]) => Promise<R>,
): Promise<R[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const own = groups.get(item.accountId) ?? [];
    own.push(item);
    groups.set(item.accountId, own);
  }
  const left = groups.entries();
  const results: R[] = [];
  async function lane(): Promise<void> {
    for (const [accountId, own] of left) results.push(await work(accountId, own));
  }
  await Promise.all(Array.from({ length: Math.min(LANES, groups.size) }, lane));
  return results;
}

/**
 * Takes up to `limit` things of several accounts in equal shares, as far as each has some, so that one with many does not
 * keep the others waiting. The first are drawn by lot.
 * @param take takes up to a number of one account
 */
export async function takeInTurns<T>(
  accountIds: readonly string[],
  limit: number,
  take: (accountId: string, most: number) => Promise<readonly T[]>,
): Promise<T[]> {
  const taken: T[] = [];
  const drawn = accountIds.map((accountId) => ({ accountId, lot: Math.random() })).sort((a, b) => a.lot - b.lot);
  for (let left = drawn.map(({ accountId }) => accountId); left.length > 0 && taken.length < limit; ) {
    const more: string[] = [];
    for (const [i, accountId] of left.entries()) {
      const share = Math.ceil((limit - taken.length) / (left.length - i));
      if (share === 0) break;
      const got = await take(accountId, share);
      taken.push(...got);
      if (got.length === share) more.push(accountId);
    }
    left = more;
  }
  return taken;
}

/** Rows that are found by one statement. */
const ROWS_AT_ONCE = 1_000;

/** Rows of a table that are due to be changed, whichever account they belong to. */
export interface DueRows {
  readonly table: string;
  /** The columns of its primary key after the account, with their types. */
  readonly key: Readonly<Record<string, 'text' | 'integer' | 'uuid' | 'bytea' | 'timestamptz'>>;
  /** Whether a row is due, by its own columns, with named values. */
  readonly due: string;
  /** Which ones come first; default: any. */
  readonly order?: string;
  /** Finds the keys of `:limit` of them, where that takes other tables too. */
  readonly find?: string;
  /** `DELETE FROM` or `UPDATE … SET …` of the table. */
  readonly change: string;
}

type Values = Readonly<Record<string, Date | string | number>>;
type KeyRow = Readonly<Record<string, unknown>> & { readonly account_id: string };

/**
 * Prepares the change of due rows, a batch after the other: one statement finds them on all nodes, and one for each
 * account changes its own. Rows that another transaction holds are left for the next time.
 * @returns changes them, and returns how many it changed
 */
export function changeDueRows({ table, key, due, change, ...o }: DueRows) {
  const columns = Object.keys(key);
  const order = o.order === undefined ? '' : `ORDER BY ${o.order}`;
  const find = o.find ?? `SELECT account_id, ${columns.join(', ')} FROM ${table} WHERE ${due} ${order} LIMIT :limit`;
  const arrays = Object.entries(key).map(([column, type]) => `CAST(:${column} AS ${type}[])`);
  const changeOwn = `
${change} WHERE account_id = :accountId AND (${columns.join(', ')}) IN (
  SELECT ${columns.join(', ')} FROM ${table}
  WHERE account_id = :accountId AND (${columns.join(', ')}) IN (SELECT * FROM unnest(${arrays.join(', ')})) AND ${due}
  FOR UPDATE SKIP LOCKED)`;
  async function changeSome(connection: Connection, values: Values): Promise<number> {
    const some = { ...values, limit: ROWS_AT_ONCE };
    const { rows } = await connection.raw<{ rows: KeyRow[] }>(`/* all accounts */ ${find}`, some);
    const found = rows.map((row) => ({ accountId: row.account_id, row }));
    const changed = await eachAccount(found, async (accountId, own) => {
      const keys = Object.fromEntries(columns.map((column) => [column, own.map(({ row }) => row[column])]));
      const bindings = { ...values, ...keys, accountId } as unknown as Record<string, string>;
      return (await connection.raw<{ rowCount: number }>(changeOwn, bindings)).rowCount;
    });
    return changed.reduce((sum, count) => sum + count, 0);
  }
  return async (connection: Connection, values: Values): Promise<number> => {
    let changed = 0;
    for (let last = ROWS_AT_ONCE; last === ROWS_AT_ONCE; changed += last) last = await changeSome(connection, values);
    return changed;
  };
}
