import { HOUR_MS, MINUTE_MS } from '@svc/protocol';
import type { AccountDeletion } from '../features/accounts/deletion.ts';
import type { EpochService } from '../features/lists/epochs.ts';
import type { ListExpiry } from '../features/lists/expiry.ts';
import type { ListService } from '../features/lists/service.ts';
import type { PersonExpiry } from '../features/people/expiry.ts';
import type { RestoreService } from '../features/restore/service.ts';
import type { RetentionService } from '../features/retention/service.ts';
import type { TokenService } from '../features/tokens/service.ts';
import type { RecurringJob } from './runner.ts';

/** Everything that a deployment does by itself. */
export function createJobs(o: {
  readonly people: Pick<PersonExpiry, 'removeExpired'>;
  readonly expiredLists: Pick<ListExpiry, 'removeExpired'>;
  readonly epochs: Pick<EpochService, 'dropEmpty'>;
  readonly lists: Pick<ListService, 'finishDeletions'>;
  readonly accounts: Pick<AccountDeletion, 'finishDeletions'>;
  readonly tokens: Pick<TokenService, 'sweep'>;
  readonly retention: RetentionService;
  readonly restore: Pick<RestoreService, 'replay' | 'forgetOld'>;
  /** Puts what was deleted out of the embedded database's files; null for a database of one's own. */
  readonly scrub: (() => Promise<void>) | null;
}): readonly RecurringJob[] {
  return [
    { name: 'expire-lists', everyMs: MINUTE_MS, run: () => o.expiredLists.removeExpired() },
    { name: 'expire-people', everyMs: MINUTE_MS, run: () => o.people.removeExpired() },
    { name: 'drop-empty-epochs', everyMs: 5 * MINUTE_MS, run: () => o.epochs.dropEmpty() },
    { name: 'finish-account-deletions', everyMs: 5 * MINUTE_MS, run: () => o.accounts.finishDeletions() },
    { name: 'finish-list-deletions', everyMs: 5 * MINUTE_MS, run: () => o.lists.finishDeletions() },
    { name: 'purge-tokens', everyMs: 10 * MINUTE_MS, run: () => o.tokens.sweep() },
    { name: 'purge-removals', everyMs: HOUR_MS, run: () => o.retention.removals() },
    { name: 'purge-devices', everyMs: HOUR_MS, run: () => o.retention.devices() },
    { name: 'purge-webhooks', everyMs: HOUR_MS, run: () => o.retention.webhooks() },
    { name: 'purge-requests', everyMs: HOUR_MS, run: () => o.retention.requests() },
    { name: 'purge-evidence', everyMs: HOUR_MS, run: () => o.retention.evidence() },
    ...(o.scrub === null ? [] : [{ name: 'scrub-database', everyMs: HOUR_MS, run: o.scrub }]),
    {
      name: 'forget-erasures',
      everyMs: 6 * HOUR_MS,
      async run() {
        await o.restore.replay();
        await o.restore.forgetOld();
      },
    },
  ];
}
