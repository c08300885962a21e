import { timingSafeEqual } from 'node:crypto';
import type { ErasureMemory } from '../../crypto/erasure-memory.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { createSecret, secretSha256 } from '../../crypto/secrets.ts';
import type { Database } from '../../db/connection.ts';
import { coalesce } from '../../platform/coalesce.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Clock, Ids, Random } from '../../platform/ports.ts';
import type { Actor, AuditLog } from '../audit/service.ts';
import { type NewPlan, toStoredPlan } from '../usage/plans.ts';
import type { AccountRecord, AccountStore, ApiKeyView } from './store.ts';

/** The account of a request, with the properties that decide about it. */
export interface AccountCaller {
  readonly accountId: string;
  /** The request's API key. */
  readonly keyId: string;
  /** The actor, if it is not the API key. */
  readonly actor?: Actor;
  readonly country: string | null;
  readonly billingCurrency: string;
}

export interface NewAccount {
  readonly name: string;
  /** ISO 3166-1 alpha-2 */
  readonly country?: string | undefined;
  /** ISO 4217 */
  readonly billingCurrency: string;
  /** Without a plan no one can be enrolled. */
  readonly plan?: NewPlan | undefined;
}

export interface AccountService {
  create(account: NewAccount, actor: Actor): Promise<AccountRecord>;
  all(): Promise<AccountRecord[]>;
  /** @throws ServiceError 'not-found' */
  find(accountId: string): Promise<AccountRecord>;
  /** The key is never shown again. @throws ServiceError 'not-found' for an unknown account */
  createApiKey(
    accountId: string,
    name: string,
    actor: Actor,
  ): Promise<{ readonly keyId: string; readonly apiKey: string }>;
  /** Oldest first, including revoked ones. @throws ServiceError 'not-found' for an unknown account */
  apiKeys(accountId: string): Promise<ApiKeyView[]>;
  /** A second revocation changes nothing. @throws ServiceError 'not-found' */
  revokeApiKey(accountId: string, keyId: string, actor: Actor): Promise<void>;
  /**
   * Its credentials get 401, its devices are wiped at their next sync, and no enrolment is committed after this
   * resolves. A second call changes nothing.
   * @throws ServiceError 'not-found'
   */
  suspend(accountId: string, actor: Actor): Promise<void>;
  /**
   * Undoes a suspension; devices sync again with their tokens. A second call changes nothing.
   * @throws ServiceError 'not-found'
   */
  resume(accountId: string, actor: Actor): Promise<void>;
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  authenticate(apiKey: string): Promise<AccountCaller>;
}

export function createAccountService(o: {
  readonly store: AccountStore;
  readonly database: Pick<Database, 'transaction'>;
  readonly audit: AuditLog;
  readonly keyRing: KeyRing;
  readonly erasures: Pick<ErasureMemory, 'remember'>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly random: Random;
}): AccountService {
  const find = async (accountId: string) => {
    const account = await o.store.find(accountId);
    if (account === null) throw new ServiceError('not-found');
    return account;
  };
  const findByKey = coalesce(async (sha256s: readonly Buffer[]) => {
    const found = await o.store.findByKeys(sha256s);
    return sha256s.map((sha256) => found.find(({ key }) => key.sha256.equals(sha256)));
  });
  return {
    async create(account, actor) {
      const record = {
        accountId: o.ids.next('acc'),
        name: account.name,
        country: account.country ?? null,
        billingCurrency: account.billingCurrency,
        ...toStoredPlan(account.plan ?? null),
      };
      // Key first: an account without a key could not enrol, but a key without an account is harmless.
      await o.keyRing.createAccountKey(record.accountId);
      const { accountId } = record;
      await o.database.transaction(async (tx) => {
        await o.store.insert(tx, record, new Date(o.clock.now()));
        await o.audit.record(tx, { accountId, actor, action: 'account.create', target: accountId });
      });
      return { ...record, suspendedAt: null };
    },
    all: () => o.store.all(),
    find,
    async createApiKey(accountId, name, actor) {
      const { accountId: owner } = await find(accountId);
      const { secret, sha256 } = createSecret(o.random, 'svck');
      const keyId = o.ids.next('key');
      await o.database.transaction(async (tx) => {
        await o.store.insertKey(tx, { accountId: owner, keyId, sha256 }, name, new Date(o.clock.now()));
        await o.audit.record(tx, { accountId, actor, action: 'api-key.create', target: keyId });
      });
      return { keyId, apiKey: secret };
    },
    async apiKeys(accountId) {
      await find(accountId);
      return o.store.keys(accountId);
    },
    async revokeApiKey(accountId, keyId, actor) {
      await o.database.transaction(async (tx) => {
        const outcome = await o.store.revokeKey(tx, accountId, keyId, new Date(o.clock.now()));
        if (outcome === null) throw new ServiceError('not-found');
        if (outcome === 'unchanged') return;
        await o.erasures.remember([{ kind: 'api-key', accountId, keyId }], o.clock.now());
        await o.audit.record(tx, { accountId, actor, action: 'api-key.revoke', target: keyId });
      });
    },
    async suspend(accountId, actor) {
      await o.database.transaction(async (tx) => {
        const outcome = await o.store.suspend(tx, accountId, new Date(o.clock.now()));
        if (outcome === null) throw new ServiceError('not-found');
        if (outcome === 'changed') {
          await o.audit.record(tx, { accountId, actor, action: 'account.suspend', target: accountId });
        }
      });
    },
    async resume(accountId, actor) {
      await o.database.transaction(async (tx) => {
        const outcome = await o.store.resume(tx, accountId);
        if (outcome === null) throw new ServiceError('not-found');
        if (outcome === 'changed') {
          await o.audit.record(tx, { accountId, actor, action: 'account.resume', target: accountId });
        }
      });
    },
    async authenticate(apiKey) {
      const sha256 = secretSha256(apiKey);
      const found = await findByKey(sha256);
      if (found === undefined || !timingSafeEqual(found.key.sha256, sha256))
        throw new ServiceError('invalid-credential');
      const { accountId, country, billingCurrency, suspendedAt } = found.account;
      if (suspendedAt !== null) throw new ServiceError('account-suspended');
      return { accountId, keyId: found.key.keyId, country, billingCurrency };
    },
  };
}
