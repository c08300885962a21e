import * as z from 'zod';
import { timestampSchema } from './common.ts';

/** Plans: what `pilot` allows is fixed, what `contract` allows is agreed with the account, `unlimited` has no limit. */
export const planNames = ['pilot', 'contract', 'unlimited'] as const;
export type PlanName = (typeof planNames)[number];

/** What is on an account's bill. */
export const usageSchema = z.object({
  plan: z.enum(planNames).nullable().meta({ description: 'null: nobody can be enrolled' }),
  period: z.object({
    number: z.int().min(1),
    startedAt: timestampSchema,
  }),
  peopleBilled: z
    .int()
    .min(0)
    .meta({ description: 'distinct people enrolled in this period; erasing a face does not give a place back' }),
  peopleLimit: z.int().min(0).nullable().meta({ description: 'null where the plan has no limit; 0 without a plan' }),
});
export type UsageResource = z.infer<typeof usageSchema>;
