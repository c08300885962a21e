import { timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { createSecret, secretSha256 } from '../../crypto/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { Ids } from '../../ids.ts';
import type { Clock, Random } from '../../ports.ts';
import type { PlanName } from '../usage/plans.ts';
import type { AccountRecord, AccountStore } from './store.ts';

/** Whose request this is, and what of the account decides about it. */
export interface AccountCaller {
  readonly accountId: string;
  /** The API key that the request came with. */
  readonly keyId: string;
  readonly country: string | null;
  readonly billingCurrency: string;
}

export interface NewAccount {
  readonly name: string;
  /** ISO 3166-1 alpha-2 */
  readonly country?: string | undefined;
  /** ISO 4217 */
  readonly billingCurrency: string;
  /** None: nobody can be enrolled until the account has one. */
  readonly plan?: PlanName | undefined;
}

export interface AccountService {
  create(account: NewAccount): Promise<AccountRecord>;
  all(): Promise<AccountRecord[]>;
  /** @throws ServiceError 'not-found' */
  find(accountId: string): Promise<AccountRecord>;
  /** @throws ServiceError 'not-found' */
  setPlan(accountId: string, plan: PlanName | null): Promise<void>;
  /** The key is shown this once. @throws ServiceError 'not-found' for an unknown account */
  createApiKey(accountId: string, name: string): Promise<{ readonly keyId: string; readonly apiKey: string }>;
  /** A second revocation changes nothing. @throws ServiceError 'not-found' */
  revokeApiKey(accountId: string, keyId: string): Promise<void>;
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  authenticate(apiKey: string): Promise<AccountCaller>;
}

export function createAccountService(o: {
  readonly store: AccountStore;
  readonly keyRing: KeyRing;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly random: Random;
}): AccountService {
  const find = async (accountId: string) => {
    const account = await o.store.find(accountId);
    if (account === null) throw new ServiceError('not-found');
    return account;
  };
  return {
    async create(account) {
      const record = {
        accountId: o.ids.next('acc'),
        name: account.name,
        country: account.country ?? null,
        billingCurrency: account.billingCurrency,
        plan: account.plan ?? null,
      };
      // The key first: an account without one could enrol nobody, a key without an account harms nobody.
      await o.keyRing.createAccountKey(record.accountId);
      await o.store.insert(record, new Date(o.clock.now()));
      return { ...record, suspendedAt: null };
    },
    all: () => o.store.all(),
    find,
    async setPlan(accountId, plan) {
      if (!(await o.store.setPlan(accountId, plan))) throw new ServiceError('not-found');
    },
    async createApiKey(accountId, name) {
      const { accountId: owner } = await find(accountId);
      const { secret, sha256 } = createSecret(o.random, 'svck');
      const keyId = o.ids.next('key');
      await o.store.insertKey({ accountId: owner, keyId, sha256 }, name, new Date(o.clock.now()));
      return { keyId, apiKey: secret };
    },
    async revokeApiKey(accountId, keyId) {
      const revoked = await o.store.revokeKey(accountId, keyId, new Date(o.clock.now()));
      if (!revoked) throw new ServiceError('not-found');
    },
    async authenticate(apiKey) {
      const sha256 = secretSha256(apiKey);
      const found = await o.store.findByKey(sha256);
      if (found === null || !timingSafeEqual(found.key.sha256, sha256)) throw new ServiceError('invalid-credential');
      const { accountId, country, billingCurrency, suspendedAt } = found.account;
      if (suspendedAt !== null) throw new ServiceError('account-suspended');
      return { accountId, keyId: found.key.keyId, country, billingCurrency };
    },
  };
}
