import { userInfo } from 'node:os';
import { type ApiParts, composeAdmin } from './compose.ts';
import type { ApiConfig } from './config.ts';
import type { AccountCaller, AccountService, NewAccount } from './features/accounts/service.ts';
import type { AccountRecord } from './features/accounts/store.ts';
import type { Actor } from './features/audit/actor.ts';
import type { AuditService } from './features/audit/service.ts';
import type { ListService, ListView } from './features/lists/service.ts';
import type { PlanName } from './features/usage/plans.ts';

/** What an operator does to a deployment without HTTP: the `svc` command line and the demo are built on it. */
export interface Admin {
  readonly accounts: {
    create(account: NewAccount): Promise<AccountRecord>;
    list(): Promise<AccountRecord[]>;
  };
  readonly keys: {
    /** The key is in the answer this once. @throws ServiceError 'not-found' */
    create(accountId: string, name: string): Promise<{ readonly keyId: string; readonly apiKey: string }>;
    /** @throws ServiceError 'not-found' */
    revoke(accountId: string, keyId: string): Promise<void>;
  };
  readonly plans: {
    /** @throws ServiceError 'not-found' */
    set(accountId: string, plan: PlanName | null): Promise<void>;
  };
  readonly lists: {
    /** @throws ServiceError 'not-found', 'event-has-list' or 'event-ended' */
    create(accountId: string, request: Parameters<ListService['create']>[1]): Promise<ListView>;
  };
  /** Who did what; null for acts on the deployment as a whole. */
  readonly audit: Pick<AuditService, 'page'>;
  /** The region's name and its signing key's public half, as `Region` of the SDK takes it. */
  region(): { readonly region: string; readonly keyId: string; readonly signingKey: string };
  close(): Promise<void>;
}

/** Whoever is logged in at the machine; a container may have no name for its user. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

async function callerOf(accounts: AccountService, accountId: string, actor: Actor): Promise<AccountCaller> {
  const { country, billingCurrency } = await accounts.find(accountId);
  return { accountId, keyId: 'operator', actor, country, billingCurrency };
}

/**
 * Opens a deployment's services. Works beside a running API and without one; the caller closes it.
 * What is done through it stands in the audit log under the name of the user whose process this is.
 * @throws Error when the database or the keys cannot be had
 */
export async function openAdmin(config: ApiConfig, parts: Pick<ApiParts, 'clock' | 'random'> = {}): Promise<Admin> {
  const { accounts, audit, lists, signingKey, close } = await composeAdmin(config, parts);
  const actor: Actor = { kind: 'operator', name: operatorName() };
  return {
    accounts: {
      create: (account) => accounts.create(account, actor),
      list: () => accounts.all(),
    },
    keys: {
      create: (accountId, name) => accounts.createApiKey(accountId, name, actor),
      revoke: (accountId, keyId) => accounts.revokeApiKey(accountId, keyId, actor),
    },
    plans: {
      set: (accountId, plan) => accounts.setPlan(accountId, plan, actor),
    },
    lists: {
      create: async (accountId, request) => lists.create(await callerOf(accounts, accountId, actor), request),
    },
    audit,
    region: () => ({ region: config.region, keyId: signingKey.keyId, signingKey: signingKey.publicKey }),
    close,
  };
}
