import type { AccountVault } from '../../crypto/account-vault.ts';
import type { Transaction } from '../../db/connection.ts';
import { ServiceError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import { peopleAllowed } from './plans.ts';
import type { Bill, UsageStore } from './store.ts';

/** A person about to be enrolled. */
export interface Enrollee {
  readonly accountId: string;
  readonly personId: string;
  /** The list already has a face of him: replacing it never meets the limit. */
  readonly replaces: boolean;
}

export interface UsageService {
  /** Looks whether the plan has room, without promising it. @throws ServiceError 'no-plan' or 'plan-limit-reached' */
  check(vault: AccountVault, enrollee: Enrollee): Promise<void>;
  /**
   * Puts the person on the bill, once in a plan's period. Holds the account's row until the transaction ends, so that two
   * enrolments never share the last place.
   * @throws ServiceError 'no-plan' or 'plan-limit-reached'
   */
  bill(tx: Transaction, vault: AccountVault, enrollee: Enrollee): Promise<void>;
}

function refuse(bill: Bill | null, counted: boolean, replaces: boolean): asserts bill is Bill {
  const allowed = peopleAllowed(bill?.plan ?? null);
  if (bill === null || allowed === null) throw new ServiceError('no-plan');
  if (!counted && !replaces && bill.people >= allowed) throw new ServiceError('plan-limit-reached');
}

export function createUsageService(o: { readonly store: UsageStore; readonly clock: Clock }): UsageService {
  return {
    async check(vault, { accountId, personId, replaces }) {
      const bill = await o.store.read(accountId);
      const hmac = vault.billingPseudonym(personId);
      refuse(bill, bill !== null && (await o.store.isBilled(accountId, bill.period, hmac)), replaces);
    },
    async bill(tx, vault, { accountId, personId, replaces }) {
      const bill = await o.store.lock(tx, accountId);
      const hmac = vault.billingPseudonym(personId);
      const counted = bill !== null && (await o.store.isBilled(accountId, bill.period, hmac, tx));
      refuse(bill, counted, replaces);
      if (!counted) await o.store.add(tx, accountId, bill.period, hmac, new Date(o.clock.now()));
    },
  };
}
