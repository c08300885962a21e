import type { PlanName } from '@svc/protocol';
import type { AccountVault } from '../../crypto/account-vault.ts';
import type { Database, Transaction } from '../../db/connection.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Clock } from '../../platform/ports.ts';
import type { Actor, AuditLog } from '../audit/service.ts';
import { type NewPlan, peopleAllowed, planNameOf, toStoredPlan } from './plans.ts';
import type { Bill, UsageStore } from './store.ts';

/** A person about to be enrolled. */
export interface Enrollee {
  readonly accountId: string;
  readonly personId: string;
  /** The list already has a face of him: replacing it never meets the limit. */
  readonly replaces: boolean;
}

/** What is on an account's bill. */
export interface Usage {
  /** Null: nobody can be enrolled. */
  readonly plan: PlanName | null;
  /** Counts from 1. */
  readonly period: number;
  readonly periodStartedAt: Date;
  readonly peopleBilled: number;
  /** Null where the plan has no limit, 0 without a plan. */
  readonly peopleLimit: number | null;
}

/** A period that has just begun, and the one before it as it is to be billed. */
export interface NewPeriod extends Usage {
  readonly closed: { readonly period: number; readonly peopleBilled: number };
}

export interface UsageService {
  /** @throws ServiceError 'not-found' */
  read(accountId: string): Promise<Usage>;
  /** Whoever is on the bill stays on it, above the new limit too. @throws ServiceError 'not-found' */
  setPlan(accountId: string, plan: NewPlan | null, actor: Actor): Promise<Usage>;
  /**
   * The next period starts with nobody on the bill; of the one before only the number stays, in the answer and in the
   * audit log.
   * @throws ServiceError 'not-found'
   */
  startPeriod(accountId: string, actor: Actor): Promise<NewPeriod>;
  /**
   * Looks whether the plan has room, without promising it.
   * @param bill as it was read for this enrolment
   * @param replaces as in {@link Enrollee}; asked only where the bill is full
   * @throws ServiceError 'account-suspended', 'no-plan' or 'plan-limit-reached'
   */
  check(
    vault: AccountVault,
    bill: Bill,
    enrollee: Omit<Enrollee, 'replaces'>,
    replaces: () => Promise<boolean>,
  ): Promise<void>;
  /**
   * Puts the person on the bill, once in a plan's period. Holds the account's row until the transaction ends, so that
   * two enrolments never share the last place.
   * @throws ServiceError 'account-suspended', 'no-plan' or 'plan-limit-reached'
   */
  bill(tx: Transaction, vault: AccountVault, enrollee: Enrollee): Promise<void>;
}

/** @param isNobodyNew asked only where the bill is full: who is on it stays on it, and a face may be replaced */
async function requireRoom(bill: Bill, isNobodyNew: () => boolean | Promise<boolean>): Promise<void> {
  const allowed = peopleAllowed(bill.plan, bill.planPeople);
  if (bill.isSuspended) throw new ServiceError('account-suspended');
  if (allowed === null) throw new ServiceError('no-plan');
  if (bill.people >= allowed && !(await isNobodyNew())) throw new ServiceError('plan-limit-reached');
}

function toUsage(bill: Omit<Bill, 'isSuspended'> | null): Usage {
  if (bill === null) throw new ServiceError('not-found');
  const { period, periodStartedAt, people } = bill;
  const allowed = peopleAllowed(bill.plan, bill.planPeople) ?? 0;
  return {
    plan: planNameOf(bill.plan),
    period,
    periodStartedAt,
    peopleBilled: people,
    peopleLimit: Number.isFinite(allowed) ? allowed : null,
  };
}

export function createUsageService(o: {
  readonly store: UsageStore;
  readonly database: Pick<Database, 'transaction'>;
  readonly audit: AuditLog;
  readonly clock: Clock;
}): UsageService {
  return {
    read: async (accountId) => toUsage(await o.store.read(accountId)),
    setPlan(accountId, plan, actor) {
      const stored = toStoredPlan(plan);
      return o.database.transaction(async (tx) => {
        const usage = toUsage(await o.store.lock(tx, accountId));
        await o.store.setPlan(tx, accountId, stored.plan, stored.planPeople);
        const target = stored.planPeople === null ? (stored.plan ?? 'none') : `contract:${stored.planPeople}`;
        await o.audit.record(tx, { accountId, actor, action: 'plan.set', target });
        const { plan: name, planPeople } = stored;
        const { period, periodStartedAt, peopleBilled } = usage;
        return toUsage({ plan: name, planPeople, period, periodStartedAt, people: peopleBilled });
      });
    },
    startPeriod(accountId, actor) {
      return o.database.transaction(async (tx) => {
        const usage = toUsage(await o.store.lock(tx, accountId));
        const closed = { period: usage.period, peopleBilled: usage.peopleBilled };
        const period = closed.period + 1;
        const periodStartedAt = new Date(o.clock.now());
        await o.store.startPeriod(tx, accountId, period, periodStartedAt);
        const target = `period:${closed.period},people:${closed.peopleBilled}`;
        await o.audit.record(tx, { accountId, actor, action: 'plan.new-period', target });
        return { ...usage, period, periodStartedAt, peopleBilled: 0, closed };
      });
    },
    check: (vault, bill, { accountId, personId }, replaces) =>
      requireRoom(
        bill,
        async () => (await replaces()) || o.store.isBilled(accountId, bill.period, vault.billingPseudonym(personId)),
      ),
    async bill(tx, vault, { accountId, personId, replaces }) {
      const counted = await o.store.add(tx, accountId, vault.billingPseudonym(personId), new Date(o.clock.now()));
      if (counted === null) throw new ServiceError('no-plan');
      // What was counted beyond the limit is undone with the transaction.
      await requireRoom(counted.before, () => replaces || !counted.isNew);
    },
  };
}
