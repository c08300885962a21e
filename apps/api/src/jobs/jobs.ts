import type { AccountDeletion } from '../features/accounts/deletion.ts';
import type { ListExpiry } from '../features/lists/expiry.ts';
import type { ListService } from '../features/lists/service.ts';
import type { PersonExpiry } from '../features/people/expiry.ts';
import type { RetentionService } from '../features/retention/service.ts';
import type { TokenService } from '../features/tokens/service.ts';
import type { RecurringJob } from './runner.ts';

const EACH_MINUTE = '* * * * *';

/** Everything that a deployment does by itself. */
export function createJobs(o: {
  readonly people: Pick<PersonExpiry, 'removeExpired'>;
  readonly expiredLists: Pick<ListExpiry, 'removeExpired'>;
  readonly lists: Pick<ListService, 'finishDeletions'>;
  readonly accounts: Pick<AccountDeletion, 'finishDeletions'>;
  readonly tokens: Pick<TokenService, 'sweep'>;
  readonly retention: RetentionService;
}): readonly RecurringJob[] {
  return [
    { name: 'expire-lists', schedule: EACH_MINUTE, run: () => o.expiredLists.removeExpired() },
    { name: 'expire-people', schedule: EACH_MINUTE, run: () => o.people.removeExpired() },
    { name: 'finish-account-deletions', schedule: '*/5 * * * *', run: () => o.accounts.finishDeletions() },
    { name: 'finish-list-deletions', schedule: '*/5 * * * *', run: () => o.lists.finishDeletions() },
    { name: 'purge-tokens', schedule: '*/10 * * * *', run: () => o.tokens.sweep() },
    { name: 'purge-removals', schedule: '7 * * * *', run: () => o.retention.removals() },
    { name: 'purge-devices', schedule: '17 * * * *', run: () => o.retention.devices() },
    { name: 'purge-webhooks', schedule: '27 * * * *', run: () => o.retention.webhooks() },
    { name: 'purge-requests', schedule: '37 * * * *', run: () => o.retention.requests() },
    { name: 'purge-evidence', schedule: '47 * * * *', run: () => o.retention.evidence() },
  ];
}
