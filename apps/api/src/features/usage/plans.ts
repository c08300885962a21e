import { PILOT_PLAN_PEOPLE, type PlanName, planNames } from '@svc/protocol';

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
