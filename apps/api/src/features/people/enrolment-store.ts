import { columnsIn, nested, rowsOf, selected } from '../../db/columns.ts';
import type { Connection } from '../../db/connection.ts';
import { currentEpochIn, LIST_COLUMNS, type ListKey, type ListRecord } from '../lists/store.ts';
import { BILL_COLUMNS, type Bill, type BillRow, toBill } from '../usage/store.ts';

/**
 * State that decides about an enrolment before its photo is processed; checked again under the locks of the transaction
 * that stores the face.
 */
export interface EnrolmentView {
  readonly list: ListRecord;
  readonly bill: Bill;
  /** The newest epoch of the list's engine; null if it has none yet. */
  readonly epoch: number | null;
}

export type EnrolmentStore = ReturnType<typeof createEnrolmentStore>;

const FIND = `
SELECT ${selected(columnsIn('lists', LIST_COLUMNS, 'list'))},
  ${BILL_COLUMNS.map((column) => `accounts.${column} AS "bill.${column}"`).join(', ')},
  ${currentEpochIn(':accountId')} AS epoch
FROM lists JOIN accounts ON accounts.account_id = lists.account_id
WHERE lists.account_id = :accountId AND lists.list_id = :listId AND lists.deleting_at IS NULL`;

const IS_OVER = `
SELECT EXISTS (
  SELECT FROM audit_log
  WHERE account_id = :accountId AND target = :listId AND action = 'list.delete' AND actor_kind = 'system'
) AS is_over`;

export function createEnrolmentStore(connection: Connection) {
  return {
    /** A single query. Does not find lists in deletion. */
    async find(key: ListKey): Promise<EnrolmentView | null> {
      const [row] = await rowsOf<object>(connection, FIND, key);
      if (row === undefined) return null;
      const found = nested<Omit<EnrolmentView, 'bill'> & { readonly bill: BillRow }>(row);
      return { ...found, bill: toBill(found.bill) };
    },
    /** Whether a list was, or is being, deleted because its deadline passed; permanently known from the audit log. */
    isOver: async (key: ListKey): Promise<boolean> =>
      (await rowsOf<{ is_over: boolean }>(connection, IS_OVER, key))[0]?.is_over === true,
  };
}
