import { type Handlers, pick } from '../handlers.ts';
import type { Usage, UsageService } from './service.ts';

const toResource = ({ period, periodStartedAt, ...usage }: Usage) => ({
  ...pick(usage, ['plan', 'peopleBilled', 'peopleLimit']),
  period: { number: period, startedAt: periodStartedAt },
});

export const usageHandlers = (o: { readonly usage: UsageService }) =>
  ({
    getUsage: async ({ caller }) => toResource(await o.usage.read(caller.accountId)),
  }) satisfies Partial<Handlers>;
