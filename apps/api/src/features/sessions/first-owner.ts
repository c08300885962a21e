import { timingSafeEqual } from 'node:crypto';
import { type FirstOwner, HOUR_MS, usualCurrency } from '@svc/protocol';
import { createSecret, secretSha256 } from '../../crypto/secrets.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { AccountService } from '../accounts/service.ts';
import type { UserRecord, UserStore } from '../users/store.ts';
import type { Uses } from '../uses.ts';
import { personAct, type SessionService, type StartedSession } from './service.ts';
import type { Visitor } from './sign-in.ts';

interface Offer {
  readonly sha256: Buffer;
  /** The only account, whose owner is looked for; null where there is none yet. */
  readonly accountId: string | null;
  readonly expiresAtMs: number;
}

export type FirstOwnerService = ReturnType<typeof createFirstOwnerService>;

/**
 * Lets the first owner in where nobody can sign in yet, by a link for whoever sees what the service prints. Its secret's
 * hash is held by this process alone: a restart ends it.
 */
export function createFirstOwnerService(
  o: Uses<'database' | 'audit' | 'ids' | 'clock' | 'random'> & {
    readonly users: UserStore;
    readonly accounts: Pick<AccountService, 'all' | 'create'>;
    readonly sessionService: Pick<SessionService, 'start'>;
    readonly dashboardUrl: string | null;
  },
) {
  let offered: Offer | null = null;

  async function signUp({ accountId }: Offer, visitor: Visitor, owner: FirstOwner): Promise<StartedSession> {
    if (await o.users.hasAny()) throw new ServiceError('link-invalid');
    const userId = o.ids.next('usr');
    let of = accountId;
    if (of === null) {
      // Made beside the link, by the command line.
      if ((await o.accounts.all()).length > 0) throw new ServiceError('link-invalid');
      if (owner.organisation === undefined) {
        const errors = [{ pointer: '/owner/organisation', detail: 'is required as long as there is no account' }];
        throw new ServiceError('invalid-request', { errors });
      }
      const country = owner.organisation.country ?? undefined;
      const billingCurrency = usualCurrency(country) ?? 'EUR';
      const account = { name: owner.organisation.name, country, billingCurrency, plan: 'pilot' } as const;
      of = (await o.accounts.create(account, { kind: 'user', userId })).accountId;
      // A repeat after a failure makes no second one.
      if (offered !== null) offered = { ...offered, accountId: of };
    }
    const user: UserRecord = {
      ...{ accountId: of, userId, email: owner.email.toLowerCase(), name: owner.name, role: 'owner' },
      ...{ language: owner.language ?? null, createdAt: new Date(o.clock.now()), lastSignedInAt: null },
      ...{ disabledAt: null, mutedNotices: [] },
    };
    return o.database.transaction(async (tx) => {
      if (!(await o.users.lock(tx, user.accountId))) throw new ServiceError('link-invalid');
      await o.users.insert(tx, user);
      await o.audit.record(tx, personAct(user, 'user.invite', userId));
      const started = await o.sessionService.start(tx, user, { way: 'invitation', ...visitor });
      if (started === null) throw new ServiceError('link-invalid');
      return started;
    });
  }

  let isUnderWay = false;
  return {
    /**
     * @param isSeen by a person alone: what is collected must not hold the way into an account that is in use
     * @returns a link for the next hour in place of those from before; null where it is not for whoever sees it to say
     */
    async offer(isSeen: boolean): Promise<string | null> {
      if (o.dashboardUrl === null || (await o.users.hasAny())) return null;
      const [account, ...others] = await o.accounts.all();
      if (others.length > 0 || (account !== undefined && !isSeen)) return null;
      const { secret, sha256 } = createSecret(o.random, 'svcl');
      offered = { sha256, accountId: account?.accountId ?? null, expiresAtMs: o.clock.now() + HOUR_MS };
      const of = account === undefined ? '' : `?of=${encodeURIComponent(account.name)}`;
      return `${o.dashboardUrl}first-owner${of}#${secret}`;
    },
    /** Works once. @throws ServiceError 'link-invalid', 'account-suspended' or 'invalid-request' */
    async claim(visitor: Visitor, token: string, owner: FirstOwner): Promise<StartedSession> {
      const isRight = offered !== null && timingSafeEqual(secretSha256(token), offered.sha256);
      if (offered === null || !isRight || isUnderWay || offered.expiresAtMs <= o.clock.now())
        throw new ServiceError('link-invalid');
      isUnderWay = true;
      try {
        const started = await signUp(offered, visitor, owner);
        offered = null;
        return started;
      } finally {
        isUnderWay = false;
      }
    },
  };
}
