import { type Handlers, pick } from '../handlers.ts';
import type { Usage, UsageService } from './service.ts';

export const toUsageResource = ({ period, periodStartedAt, ...usage }: Usage) => ({
  ...pick(usage, ['plan', 'peopleBilled', 'peopleLimit']),
  period: { number: period, startedAt: periodStartedAt },
});

export const usageHandlers = (o: { readonly usage: UsageService }) =>
  ({
    getUsage: async ({ caller }) => toUsageResource(await o.usage.read(caller.accountId)),
  }) satisfies Partial<Handlers>;
