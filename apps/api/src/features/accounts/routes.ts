import type { ApiKeyResource } from '@svc/protocol';
import { ServiceError } from '../../platform/errors.ts';
import { mapPage } from '../../platform/paging.ts';
import { actorOf } from '../audit/service.ts';
import { type Handlers, pick } from '../handlers.ts';
import { toUsageResource } from '../usage/routes.ts';
import { planNameOf, type UsageService } from '../usage/service.ts';
import type { AccountService, CreatedKey } from './service.ts';
import type { AccountRecord, ApiKeyRights, ApiKeyView } from './store.ts';

function stateOf({ revokedAt, expiresAt }: ApiKeyView, now: number): ApiKeyResource['state'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= now ? 'expired' : 'active';
}

const toResource = (key: ApiKeyView, now: number) => ({
  ...pick(key, ['keyId', 'name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt', 'metadata']),
  state: stateOf(key, now),
});

const toAccount = ({ plan, ...account }: AccountRecord) => ({
  ...pick(account, ['accountId', 'name', 'country', 'billingCurrency', 'mode']),
  plan: planNameOf(plan),
});

/** A key has no rights that its creator lacks, and does not outlive it. @throws ServiceError 'insufficient-scope' */
function withinRights(
  creator: ApiKeyRights,
  asked: { readonly scopes?: ApiKeyRights['scopes'] | undefined; readonly expiresAt?: string | null | undefined },
): ApiKeyRights {
  const scopes = asked.scopes === undefined ? creator.scopes : asked.scopes;
  const allowed = creator.scopes;
  if (allowed !== null && !scopes?.every((scope) => allowed.includes(scope))) {
    throw new ServiceError('insufficient-scope', { detail: 'A key cannot have scopes that its creator lacks.' });
  }
  const expiresAt = typeof asked.expiresAt === 'string' ? new Date(asked.expiresAt) : null;
  const isWithin = creator.expiresAt === null || (expiresAt !== null && expiresAt <= creator.expiresAt);
  return { scopes, expiresAt: isWithin ? expiresAt : creator.expiresAt };
}

export const apiKeyHandlers = (o: {
  readonly accounts: AccountService;
  readonly usage: Pick<UsageService, 'read'>;
  readonly clock: { readonly now: () => number };
}) =>
  ({
    async getOwnApiKey({ caller }) {
      const { account, key } = await o.accounts.own(caller);
      const { scopes } = caller.rights;
      const seesUsage = scopes === null || scopes.includes('account:read');
      return {
        account: pick(account, ['accountId', 'name']),
        key: key && toResource(key, o.clock.now()),
        plan: planNameOf(account.plan),
        usage: seesUsage ? toUsageResource(await o.usage.read(account.accountId)) : null,
      };
    },
    getAccount: async ({ caller }) => toAccount(await o.accounts.find(caller.accountId)),
    updateAccount: async ({ caller, body }) => toAccount(await o.accounts.update(caller, body)),
    createApiKey: ({ caller, body: { name, metadata, ...asked }, once }) =>
      once(
        (remember) =>
          o.accounts.createApiKey(
            caller.accountId,
            { name, metadata, ...withinRights(caller.rights, asked) },
            actorOf(caller),
            remember,
          ),
        ({ key, apiKey }: CreatedKey) => ({ body: { ...toResource(key, o.clock.now()), apiKey }, secretOf: key.keyId }),
      ),
    listApiKeys: async ({ caller, query }) =>
      mapPage(await o.accounts.apiKeys(caller.accountId, query), (key) => toResource(key, o.clock.now())),
    updateApiKey: async ({ caller, params, body }) =>
      toResource(await o.accounts.updateApiKey(caller, params.keyId, body), o.clock.now()),
    revokeApiKey: ({ caller, params }) => o.accounts.revokeApiKey(caller.accountId, params.keyId, actorOf(caller)),
  }) satisfies Partial<Handlers>;
