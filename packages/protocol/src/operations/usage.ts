import * as z from 'zod';
import {
  accountModeSchema,
  countrySchema,
  exampleId,
  idSchema,
  nameSchema,
  requestSchemas,
  responseSchemas,
  timestampSchema,
} from '../common.ts';
import type { Descriptions } from './descriptions.ts';

/** Plans: `pilot` has a fixed allowance, `contract` one agreed with the account, `unlimited` has no limit. */
export const planNames = ['pilot', 'contract', 'unlimited'] as const;
export type PlanName = (typeof planNames)[number];

/** What is on an account's bill. */
export const usageSchema = z
  .object({
    plan: z.enum(planNames).nullable().describe('null: the account has no plan, so no one can be enrolled'),
    period: z.object({ number: z.int().min(1).describe('from 1'), startedAt: timestampSchema }),
    peopleBilled: z
      .int()
      .min(0)
      .describe('number of distinct personIds enrolled in this period, also if they have been erased since'),
    peopleLimit: z.int().min(0).nullable().describe('most people that the plan allows; null: no limit; 0: no plan'),
  })
  .register(responseSchemas, { id: 'Usage' });
export type UsageResource = z.infer<typeof usageSchema>;

/** The organiser's account. */
const accountSchema = z
  .object({
    accountId: idSchema('acc'),
    name: z.string().describe('shown on the screens of devices and in emails to users'),
    country: countrySchema.nullable().describe('decides the consent wording of lists that have no country'),
    billingCurrency: z
      .string()
      .describe('ISO 4217 code, set by the operator; decides the wording if there is no country'),
    plan: z.enum(planNames).nullable().describe('null: the account has no plan, so no one can be enrolled'),
    mode: accountModeSchema,
  })
  .register(responseSchemas, { id: 'Account' });
export type AccountResource = z.infer<typeof accountSchema>;

/** Fields to change; absent ones stay. Plan and currency are the operator's. */
const updateAccountRequestSchema = z
  .object({ name: nameSchema.optional(), country: countrySchema.nullable().optional() })
  .register(requestSchemas, { id: 'UpdateAccountRequest' });
export type UpdateAccountRequest = z.infer<typeof updateAccountRequestSchema>;

export const EXAMPLE_USAGE = {
  plan: 'pilot',
  period: { number: 1, startedAt: '2026-05-01T08:15:00.000Z' },
  peopleBilled: 412,
  peopleLimit: 500,
} as const;

const EXAMPLE_ACCOUNT = {
  accountId: exampleId('acc'),
  name: 'Concerts Ltd',
  country: 'GB',
  billingCurrency: 'GBP',
  plan: EXAMPLE_USAGE.plan,
  mode: 'live',
} as const;

export const usageOperations = {
  getAccount: {
    summary: 'Read the account',
    description: 'Returns the account that the credential belongs to.',
    success: { description: 'the account', schema: accountSchema, example: EXAMPLE_ACCOUNT },
  },
  updateAccount: {
    summary: 'Change the account’s name or country',
    description:
      'Fields that you leave out stay as they are. If you change the country, the `consentVersion` of lists without a country can change: new people must then consent to the new wording, and people already enrolled stay.',
    request: { schema: updateAccountRequestSchema, example: { name: EXAMPLE_ACCOUNT.name } },
    success: { description: 'the account', schema: accountSchema, example: EXAMPLE_ACCOUNT },
    audit: 'account.update',
  },
  getUsage: {
    summary: 'Read the usage',
    description:
      'Returns how many people are on the bill. Each distinct personId counts once in the plan’s period, however often and in however many lists it is enrolled, and also if the person is erased. The count starts again with each period.',
    success: { description: 'plan, period, people billed and limit', schema: usageSchema, example: EXAMPLE_USAGE },
  },
} satisfies Descriptions;
