import * as z from 'zod';
import { responseSchemas, timestampSchema } from '../common.ts';
import type { Descriptions } from './descriptions.ts';

/** Plans: `pilot` has a fixed allowance, `contract` one agreed with the account, `unlimited` has no limit. */
export const planNames = ['pilot', 'contract', 'unlimited'] as const;
export type PlanName = (typeof planNames)[number];

/** What is on an account's bill. */
export const usageSchema = z
  .object({
    plan: z.enum(planNames).nullable().describe('null: nobody can be enrolled'),
    period: z.object({
      number: z.int().min(1),
      startedAt: timestampSchema,
    }),
    peopleBilled: z
      .int()
      .min(0)
      .describe('distinct people enrolled in this period; erasing a face does not give a place back'),
    peopleLimit: z.int().min(0).nullable().describe('null where the plan has no limit; 0 without a plan'),
  })
  .register(responseSchemas, { id: 'Usage' });
export type UsageResource = z.infer<typeof usageSchema>;

export const EXAMPLE_USAGE = {
  plan: 'pilot',
  period: { number: 1, startedAt: '2026-05-01T08:15:00.000Z' },
  peopleBilled: 412,
  peopleLimit: 500,
} as const;

export const usageOperations = {
  getUsage: {
    summary: 'Read what is on the bill',
    description:
      'A distinct personId is one person on the bill of the plan’s period, however often and in how many lists enrolled. Erasing the face does not give the place back; a new period starts a new count.',
    success: { description: 'plan, period, people billed and limit', schema: usageSchema, example: EXAMPLE_USAGE },
  },
} satisfies Descriptions;
