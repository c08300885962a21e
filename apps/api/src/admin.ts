import { userInfo } from 'node:os';
import { type ApiParts, composeAdmin } from './compose.ts';
import type { ApiConfig } from './config.ts';
import type { KekStatus, RotationReport } from './crypto/key-rotation.ts';
import type { AccountCaller, AccountService, NewAccount } from './features/accounts/service.ts';
import type { AccountRecord } from './features/accounts/store.ts';
import type { Actor } from './features/audit/actor.ts';
import type { AuditService } from './features/audit/service.ts';
import type { ListService, ListView } from './features/lists/service.ts';
import type { NewPlan } from './features/usage/plans.ts';
import type { Usage } from './features/usage/service.ts';

/** What an operator does to a deployment without HTTP: the `svc` command line and the demo are built on it. */
export interface Admin {
  readonly accounts: {
    create(account: NewAccount): Promise<AccountRecord>;
    list(): Promise<AccountRecord[]>;
    /** Its credentials get 401 and its devices a wipe, until it is resumed. @throws ServiceError 'not-found' */
    suspend(accountId: string): Promise<void>;
    /** @throws ServiceError 'not-found' */
    resume(accountId: string): Promise<void>;
    /** Destroys its keys, its lists, its ledger and everything else of it. @throws ServiceError 'not-found' */
    delete(accountId: string): Promise<void>;
  };
  readonly keys: {
    /** The key is in the answer this once. @throws ServiceError 'not-found' */
    create(accountId: string, name: string): Promise<{ readonly keyId: string; readonly apiKey: string }>;
    /** @throws ServiceError 'not-found' */
    revoke(accountId: string, keyId: string): Promise<void>;
  };
  /** The keys that wrap keys. */
  readonly keks: {
    status(): Promise<readonly KekStatus[]>;
    /** Wraps everything again by the current KEK; nodes go on meanwhile, and it may be run again at any time. */
    rotate(): Promise<RotationReport>;
  };
  readonly plans: {
    /** @throws ServiceError 'not-found' */
    set(accountId: string, plan: NewPlan | null): Promise<Usage>;
    /** @throws ServiceError 'not-found' */
    newPeriod(accountId: string): Promise<Usage>;
    /** @throws ServiceError 'not-found' */
    show(accountId: string): Promise<Usage>;
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
  const services = await composeAdmin(config, parts);
  const { accounts, accountDeletion, audit, lists, usage, rotation, signingKey, close } = services;
  const actor: Actor = { kind: 'operator', name: operatorName() };
  return {
    accounts: {
      create: (account) => accounts.create(account, actor),
      list: () => accounts.all(),
      suspend: (accountId) => accounts.suspend(accountId, actor),
      resume: (accountId) => accounts.resume(accountId, actor),
      delete: (accountId) => accountDeletion.delete(accountId, actor),
    },
    keys: {
      create: (accountId, name) => accounts.createApiKey(accountId, name, actor),
      revoke: (accountId, keyId) => accounts.revokeApiKey(accountId, keyId, actor),
    },
    keks: {
      status: () => rotation.status(),
      async rotate() {
        const report = await rotation.rotate();
        const target = report.keks.find((kek) => kek.current)?.kekId ?? 'none';
        await audit.record(null, { accountId: null, actor, action: 'kek.rotate', target });
        return report;
      },
    },
    plans: {
      set: (accountId, plan) => usage.setPlan(accountId, plan, actor),
      newPeriod: (accountId) => usage.startPeriod(accountId, actor),
      show: (accountId) => usage.read(accountId),
    },
    lists: {
      create: async (accountId, request) => lists.create(await callerOf(accounts, accountId, actor), request),
    },
    audit,
    region: () => ({ region: config.region, keyId: signingKey.keyId, signingKey: signingKey.publicKey }),
    close,
  };
}
