import type { UsageResource } from '@svc/protocol';
import type { Handlers } from '../handlers.ts';
import type { Usage, UsageService } from './service.ts';

const toResource = ({ plan, period, periodStartedAt, peopleBilled, peopleLimit }: Usage): UsageResource => ({
  plan,
  period: { number: period, startedAt: periodStartedAt.toISOString() },
  peopleBilled,
  peopleLimit,
});

export const usageHandlers = (o: { readonly usage: UsageService }) =>
  ({
    getUsage: async ({ caller }) => toResource(await o.usage.read(caller.accountId)),
  }) satisfies Partial<Handlers>;
