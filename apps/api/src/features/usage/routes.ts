import type { UsageResource } from '@svc/protocol';
import type { Router } from 'express';
import type { Guard } from '../../http/guard.ts';
import { mount } from '../../http/routing.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { Usage, UsageService } from './service.ts';

const toResource = ({ plan, period, periodStartedAt, peopleBilled, peopleLimit }: Usage): UsageResource => ({
  plan,
  period: { number: period, startedAt: periodStartedAt.toISOString() },
  peopleBilled,
  peopleLimit,
});

export function mountUsage(
  router: Router,
  o: { readonly usage: UsageService; readonly account: Guard<AccountCaller> },
): void {
  mount(router, '/v1/usage', {
    get: o.account.call(async ({ caller, response }) => {
      response.json(toResource(await o.usage.read(caller.accountId)));
    }),
  });
}
