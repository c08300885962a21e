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
    plan: z.enum(planNames).nullable().describe('null: nobody can be enrolled'),
    period: z.object({ number: z.int().min(1), startedAt: timestampSchema }),
    peopleBilled: z
      .int()
      .min(0)
      .describe('distinct people enrolled in this period; erasing a face does not give a place back'),
    peopleLimit: z.int().min(0).nullable().describe('null where the plan has no limit; 0 without a plan'),
  })
  .register(responseSchemas, { id: 'Usage' });
export type UsageResource = z.infer<typeof usageSchema>;

/** The organiser's account. */
const accountSchema = z
  .object({
    accountId: idSchema('acc'),
    name: z.string().describe('on the screens of devices and in mails to users'),
    country: countrySchema.nullable().describe('decides the consent wording of lists without a country of their own'),
    billingCurrency: z.string().describe('ISO 4217; the operator’s, and decides the wording where no country does'),
    plan: z.enum(planNames).nullable().describe('null: nobody can be enrolled'),
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
    description: 'The account of the credential.',
    success: { description: 'the account', schema: accountSchema, example: EXAMPLE_ACCOUNT },
  },
  updateAccount: {
    summary: 'Change the account’s name or country',
    description:
      'What is absent stays. Another country can change the consent wording of lists that have none of their own (`consentVersion` of each list): people are then asked by the new wording, and those who are enrolled stay.',
    request: { schema: updateAccountRequestSchema, example: { name: EXAMPLE_ACCOUNT.name } },
    success: { description: 'the account', schema: accountSchema, example: EXAMPLE_ACCOUNT },
    audit: 'account.update',
  },
  getUsage: {
    summary: 'Read what is on the bill',
    description:
      'A distinct personId is one person on the bill of the plan’s period, however often and in how many lists enrolled. Erasing the face does not give the place back; a new period starts a new count.',
    success: { description: 'plan, period, people billed and limit', schema: usageSchema, example: EXAMPLE_USAGE },
  },
} satisfies Descriptions;
