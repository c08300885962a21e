import { PILOT_PLAN_PEOPLE, type PlanName, planNames } from '@svc/protocol';
import type { AccountVault } from '../../crypto/account-vault.ts';
import type { Transaction } from '../../db/connection.ts';
import { missing, ServiceError } from '../../platform/errors.ts';
import type { Actor } from '../audit/service.ts';
import type { Uses } from '../uses.ts';
import type { Bill, UsageStore } from './store.ts';

/** A plan for an account; a contract has a number of people (1 to 2³¹ − 1). */
export type NewPlan = Exclude<PlanName, 'contract'> | { readonly contract: number };

const MOST_PEOPLE = 2 ** 31 - 1;

/** @throws RangeError for an invalid number of people */
export function toStoredPlan(plan: NewPlan | null): {
  readonly plan: PlanName | null;
  readonly planPeople: number | null;
} {
  if (plan === null || typeof plan === 'string') return { plan, planPeople: null };
  const people = plan.contract;
  if (!Number.isInteger(people) || people < 1 || people > MOST_PEOPLE)
    throw new RangeError('a contract allows 1 person or more');
  return { plan: 'contract', planPeople: people };
}

/** The plan of a database value; null for no plan, and for one unknown to this version. */
export function planNameOf(plan: string | null): PlanName | null {
  return planNames.find((name) => name === plan) ?? null;
}

/** Number of distinct people that a plan allows per period: infinite for no limit, null without a plan. */
export function peopleAllowed(plan: string | null, planPeople: number | null): number | null {
  switch (planNameOf(plan)) {
    case 'pilot':
      return PILOT_PLAN_PEOPLE;
    case 'contract':
      return planPeople;
    case 'unlimited':
      return Number.POSITIVE_INFINITY;
    case null:
      return null;
  }
}

/** A person about to be enrolled. */
export interface Enrollee {
  readonly accountId: string;
  readonly personId: string;
  /** The list has a face of this person already; replacing it never exceeds the limit. */
  readonly replaces: boolean;
}

/** An account's bill. */
export interface Usage {
  /** Null: enrolment is not possible. */
  readonly plan: PlanName | null;
  /** Counts from 1. */
  readonly period: number;
  readonly periodStartedAt: Date;
  readonly peopleBilled: number;
  /** Null when the plan has no limit, 0 without a plan. */
  readonly peopleLimit: number | null;
}

/** A period that has just begun, and the final bill of the one before. */
export interface NewPeriod extends Usage {
  readonly closed: { readonly period: number; readonly peopleBilled: number };
}

export type UsageService = ReturnType<typeof createUsageService>;

/** @param isNobodyNew called only when the bill is full: people on it stay, and faces may be replaced */
async function requireRoom(bill: Bill, isNobodyNew: () => boolean | Promise<boolean>): Promise<void> {
  const allowed = peopleAllowed(bill.plan, bill.planPeople);
  if (bill.isSuspended) throw new ServiceError('account-suspended');
  if (bill.mode === 'test') return;
  if (allowed === null) throw new ServiceError('no-plan');
  if (bill.people >= allowed && !(await isNobodyNew())) throw new ServiceError('plan-limit-reached');
}

function toUsage(bill: Omit<Bill, 'isSuspended' | 'mode'> | null): Usage {
  if (bill === null) throw missing('account');
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

export function createUsageService(
  o: Uses<'database' | 'audit' | 'clock'> & {
    readonly store: UsageStore;
  },
) {
  return {
    /** @throws ServiceError 'not-found' */
    read: async (accountId: string): Promise<Usage> => toUsage(await o.store.read(accountId)),
    /** People already on the bill stay on it, even above the new limit. @throws ServiceError 'not-found' */
    setPlan(accountId: string, plan: NewPlan | null, actor: Actor): Promise<Usage> {
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
    /**
     * Starts the next period with an empty bill; of the one before only the number is kept, in the answer and in the
     * audit log.
     * @throws ServiceError 'not-found'
     */
    startPeriod(accountId: string, actor: Actor): Promise<NewPeriod> {
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
    /**
     * Checks whether the plan has room, without reserving it.
     * @param bill as read for this enrolment
     * @param replaces as in {@link Enrollee}; called only when the bill is full
     * @throws ServiceError 'account-suspended', 'no-plan' or 'plan-limit-reached'
     */
    check: (
      vault: AccountVault,
      bill: Bill,
      { accountId, personId }: Omit<Enrollee, 'replaces'>,
      replaces: () => Promise<boolean>,
    ): Promise<void> =>
      requireRoom(
        bill,
        async () => (await replaces()) || o.store.isBilled(accountId, bill.period, vault.billingPseudonym(personId)),
      ),
    /**
     * Adds the person to the bill, once per period. Locks the account's row until the transaction ends, so that two
     * enrolments never share the last place.
     * @throws ServiceError 'account-suspended', 'no-plan' or 'plan-limit-reached'
     */
    async bill(tx: Transaction, vault: AccountVault, { accountId, personId, replaces }: Enrollee): Promise<void> {
      const counted = await o.store.add(tx, accountId, vault.billingPseudonym(personId), new Date(o.clock.now()));
      if (counted === null) throw new ServiceError('no-plan');
      // A count above the limit is rolled back with the transaction.
      await requireRoom(counted.before, () => replaces || !counted.isNew);
    },
  };
}
