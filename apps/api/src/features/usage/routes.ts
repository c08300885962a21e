import type { UsageResource } from '@svc/protocol';
import type { Router } from 'express';
import type { AuthenticateAccount } from '../../http/authenticate.ts';
import { mount } from '../../http/routing.ts';
import type { Usage, UsageService } from './service.ts';

const toResource = ({ plan, period, periodStartedAt, peopleBilled, peopleLimit }: Usage): UsageResource => ({
  plan,
  period: { number: period, startedAt: periodStartedAt.toISOString() },
  peopleBilled,
  peopleLimit,
});

export function mountUsage(
  router: Router,
  o: { readonly usage: UsageService; readonly authenticate: AuthenticateAccount },
): void {
  mount(router, '/v1/usage', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      response.json(toResource(await o.usage.read(caller.accountId)));
    },
  });
}
