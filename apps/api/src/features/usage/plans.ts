import { PILOT_PLAN_PEOPLE } from '@svc/protocol';

/** Distinct people that a plan allows in its period. */
export const plans = { pilot: { people: PILOT_PLAN_PEOPLE } } as const;
export type PlanName = keyof typeof plans;

export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(plans, name);
}

/** People that an account's plan allows; null for no plan, and for one that this version does not know. */
export function peopleAllowed(plan: string | null): number | null {
  return plan !== null && isPlanName(plan) ? plans[plan].people : null;
}
