import { composeAdmin } from './compose.ts';
import type { ApiConfig } from './config.ts';
import type { AccountCaller, AccountService, NewAccount } from './features/accounts/service.ts';
import type { AccountRecord } from './features/accounts/store.ts';
import type { ListService, ListView } from './features/lists/service.ts';
import type { PlanName } from './features/usage/plans.ts';

/** What an operator does to a deployment without HTTP: the `svc` command line and the demo are built on it. */
export interface Admin {
  createAccount(account: NewAccount): Promise<AccountRecord>;
  listAccounts(): Promise<AccountRecord[]>;
  /** @throws ServiceError 'not-found' */
  setPlan(accountId: string, plan: PlanName | null): Promise<void>;
  /** The key is in the answer this once. @throws ServiceError 'not-found' */
  createApiKey(accountId: string, name: string): Promise<{ readonly keyId: string; readonly apiKey: string }>;
  /** @throws ServiceError 'not-found' */
  revokeApiKey(accountId: string, keyId: string): Promise<void>;
  /** @throws ServiceError 'not-found', 'event-has-list' or 'event-ended' */
  createList(accountId: string, request: Parameters<ListService['create']>[1]): Promise<ListView>;
  /** The region's name and its signing key's public half, as `Region` of the SDK takes it. */
  region(): { readonly region: string; readonly keyId: string; readonly signingKey: string };
  close(): Promise<void>;
}

/** Stands in the place of an API key's id: the operator acts without one. */
const OPERATOR = 'operator';

async function callerOf(accounts: AccountService, accountId: string): Promise<AccountCaller> {
  const { country, billingCurrency } = await accounts.find(accountId);
  return { accountId, keyId: OPERATOR, country, billingCurrency };
}

/**
 * Opens a deployment's services. Works beside a running API and without one; the caller closes it.
 * @throws Error when the database or the keys cannot be had
 */
export async function openAdmin(config: ApiConfig): Promise<Admin> {
  const { accounts, lists, signingKey, close } = await composeAdmin(config);
  return {
    createAccount: (account) => accounts.create(account),
    listAccounts: () => accounts.all(),
    setPlan: (accountId, plan) => accounts.setPlan(accountId, plan),
    createApiKey: (accountId, name) => accounts.createApiKey(accountId, name),
    revokeApiKey: (accountId, keyId) => accounts.revokeApiKey(accountId, keyId),
    createList: async (accountId, request) => lists.create(await callerOf(accounts, accountId), request),
    region: () => ({ region: config.region, keyId: signingKey.keyId, signingKey: signingKey.publicKey }),
    close,
  };
}
