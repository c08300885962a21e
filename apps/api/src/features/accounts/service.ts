import { timingSafeEqual } from 'node:crypto';
import {
  type AccountMode,
  type ApiKeyScope,
  apiKeyPrefixes,
  FRESH_MS,
  HOUR_MS,
  isId,
  MAX_API_KEYS,
  type MetadataChange,
  type UpdateAccountRequest,
  type UpdateApiKeyRequest,
} from '@svc/protocol';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { createSecret, secretSha256 } from '../../crypto/secrets.ts';
import type { InTransaction } from '../../db/connection.ts';
import { coalesce } from '../../platform/coalesce.ts';
import { found, ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, toPage } from '../../platform/paging.ts';
import type { SessionOfCaller } from '../../platform/ports.ts';
import { type Actor, actorOf } from '../audit/service.ts';
import { changedMetadata, type NotedPageRequest } from '../metadata.ts';
import { type NewPlan, toStoredPlan } from '../usage/service.ts';
import type { Uses } from '../uses.ts';
import type { AccountRecord, AccountStore, ApiKeyRecord, ApiKeyRights, ApiKeyView } from './store.ts';

/** Of keys without limits, and of callers without a key. */
export const ALL_RIGHTS: ApiKeyRights = { scopes: null, expiresAt: null };

/** The account of a request, with the properties that decide about it. */
export interface AccountCaller {
  readonly accountId: string;
  /** The request's API key. */
  readonly keyId: string;
  /** Rights and end of the API key, or rights of the person's role. */
  readonly rights: ApiKeyRights;
  /** The actor, if it is not the API key. */
  readonly actor?: Actor;
  /** The session, if the actor is a person in the dashboard. */
  readonly session?: SessionOfCaller;
  readonly country: string | null;
  readonly billingCurrency: string;
  readonly mode: AccountMode;
}

/** Whether it is a person whose sign-in is too long ago for what needs a fresh one. */
export const isStale = ({ session }: Pick<AccountCaller, 'session'>, now: Date): boolean =>
  session !== undefined && now.getTime() - session.authenticatedAt.getTime() > FRESH_MS;

export interface NewAccount {
  readonly name: string;
  /** ISO 3166-1 alpha-2 */
  readonly country?: string | undefined;
  /** ISO 4217 */
  readonly billingCurrency: string;
  /** Without a plan no one can be enrolled. A test account is free, and needs none. */
  readonly plan?: NewPlan | undefined;
  /** Default: live. */
  readonly mode?: AccountMode | undefined;
}

export interface NewKey {
  readonly name: string;
  /** Undefined or null: everything. */
  readonly scopes?: readonly ApiKeyScope[] | null | undefined;
  /** Undefined or null: never. */
  readonly expiresAt?: Date | null | undefined;
  readonly metadata?: MetadataChange | undefined;
}

export interface CreatedKey {
  readonly key: ApiKeyView;
  /** Never shown again. */
  readonly apiKey: string;
}

export type AccountService = ReturnType<typeof createAccountService>;

export function createAccountService(
  o: Uses<'database' | 'audit' | 'erasures' | 'ids' | 'clock' | 'random'> & {
    readonly store: AccountStore;
    readonly keyRing: KeyRing;
  },
) {
  /** @throws ServiceError 'not-found' */
  const find = async (accountId: string): Promise<AccountRecord> => found(await o.store.find(accountId), 'account');
  const isOver = ({ expiresAt }: ApiKeyRights, now: number) => expiresAt !== null && expiresAt.getTime() <= now;
  const noted = new Set<string>();
  /** Writes the hour of the use once, beside the request: a failure loses no more than that hour. */
  function noteUse({ accountId, keyId, lastUsedAt }: ApiKeyRecord, now: number): void {
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
    if ((lastUsedAt !== null && lastUsedAt.getTime() >= hour) || noted.has(keyId)) return;
    noted.add(keyId);
    void o.store
      .noteKeyUse(accountId, keyId, new Date(hour))
      .catch(() => undefined)
      .finally(() => noted.delete(keyId));
  }
  const changeState = (accountId: string, actor: Actor, change: 'suspend' | 'resume'): Promise<void> =>
    o.database.transaction(async (tx) => {
      const outcome = found(await o.store[change](tx, accountId, new Date(o.clock.now())), 'account');
      if (outcome === 'unchanged') return;
      await o.audit.record(tx, { accountId, actor, action: `account.${change}`, target: accountId });
    });
  const findByKey = coalesce(async (sha256s: readonly Buffer[]) => {
    const found = await o.store.findByKeys(sha256s);
    return sha256s.map((sha256) => found.find(({ key }) => key.sha256.equals(sha256)));
  });
  return {
    async create(account: NewAccount, actor: Actor): Promise<AccountRecord> {
      const record = {
        accountId: o.ids.next('acc'),
        name: account.name,
        country: account.country ?? null,
        billingCurrency: account.billingCurrency,
        ...toStoredPlan(account.mode === 'test' ? 'unlimited' : (account.plan ?? null)),
        mode: account.mode ?? 'live',
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
    /** Lists without a country have the consent wording of the account's from now on. @throws ServiceError 'not-found' */
    update: (caller: AccountCaller, { name, country }: UpdateAccountRequest): Promise<AccountRecord> =>
      o.database.transaction(async (tx) => {
        const { accountId } = caller;
        const account = found(await o.store.find(accountId, tx), 'account');
        const next = {
          ...account,
          name: name ?? account.name,
          country: country === undefined ? account.country : country,
        };
        await o.store.update(tx, next);
        await o.audit.record(tx, { accountId, actor: actorOf(caller), action: 'account.update', target: accountId });
        return next;
      }),
    all: (): Promise<AccountRecord[]> => o.store.all(),
    find,
    /**
     * The key is never shown again.
     * @throws ServiceError 'not-found' for an unknown account, 'invalid-request' for an end in the past or too much metadata,
     * 'api-key-limit-reached'
     */
    async createApiKey(
      accountId: string,
      { name, scopes = null, expiresAt = null, metadata: given }: NewKey,
      actor: Actor,
      remember?: InTransaction<CreatedKey>,
    ): Promise<CreatedKey> {
      const { accountId: owner, mode } = await find(accountId);
      const createdAt = new Date(o.clock.now());
      if (expiresAt !== null && expiresAt <= createdAt) {
        const errors = [{ pointer: '/expiresAt', detail: 'must be in the future' }];
        throw new ServiceError('invalid-request', { errors });
      }
      const { secret, sha256 } = createSecret(o.random, apiKeyPrefixes[mode]);
      const keyId = o.ids.next('key');
      const view = { keyId, name, scopes, expiresAt, createdAt, metadata: changedMetadata({}, given) };
      const created: CreatedKey = { key: { ...view, lastUsedAt: null, revokedAt: null }, apiKey: secret };
      await o.database.transaction(async (tx) => {
        const added = await o.store.insertKey(tx, { ...view, accountId: owner, sha256 }, MAX_API_KEYS);
        if (!added) throw new ServiceError('api-key-limit-reached');
        await o.audit.record(tx, { accountId, actor, action: 'api-key.create', target: keyId });
        await remember?.(tx, created);
      });
      return created;
    },
    /** Newest first, including revoked and expired ones. @throws ServiceError 'not-found' for an unknown account */
    async apiKeys(accountId: string, { cursor, limit, metadata }: NotedPageRequest): Promise<Page<ApiKeyView>> {
      await find(accountId);
      const before = decodeCursor(cursor, (key) => isId('key', key));
      const rows = await o.store.keys(accountId, before, limit + 1, metadata);
      return toPage(rows, limit, ({ keyId }) => keyId);
    },
    /** Also of a revoked or expired one. @throws ServiceError 'not-found', or 'invalid-request' for too much metadata */
    updateApiKey: (
      caller: AccountCaller,
      keyId: string,
      { name, metadata }: UpdateApiKeyRequest,
    ): Promise<ApiKeyView> =>
      o.database.transaction(async (tx) => {
        const { accountId } = caller;
        const key = found(await o.store.key(accountId, keyId, tx), 'API key');
        const next = { ...key, name: name ?? key.name, metadata: changedMetadata(key.metadata, metadata) };
        await o.store.updateKey(tx, accountId, next);
        await o.audit.record(tx, { accountId, actor: actorOf(caller), action: 'api-key.update', target: keyId });
        return next;
      }),
    /** Account and key of a request; no key for a person. @throws ServiceError 'not-found' */
    async own({ accountId, keyId, session }: AccountCaller) {
      const key = session === undefined ? await o.store.key(accountId, keyId) : null;
      return { account: await find(accountId), key };
    },
    /** A second revocation changes nothing. @throws ServiceError 'not-found' */
    async revokeApiKey(accountId: string, keyId: string, actor: Actor): Promise<void> {
      await o.database.transaction(async (tx) => {
        const outcome = found(await o.store.revokeKey(tx, accountId, keyId, new Date(o.clock.now())), 'API key');
        if (outcome === 'unchanged') return;
        await o.erasures.remember([{ kind: 'api-key', accountId, keyId }], o.clock.now());
        await o.audit.record(tx, { accountId, actor, action: 'api-key.revoke', target: keyId });
      });
    },
    /**
     * Its credentials get 401, its devices are wiped at their next sync, and no enrolment is committed after this
     * resolves. A second call changes nothing.
     * @throws ServiceError 'not-found'
     */
    suspend: (accountId: string, actor: Actor) => changeState(accountId, actor, 'suspend'),
    /**
     * Undoes a suspension; devices sync again with their tokens. A second call changes nothing.
     * @throws ServiceError 'not-found'
     */
    resume: (accountId: string, actor: Actor) => changeState(accountId, actor, 'resume'),
    /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
    async authenticate(apiKey: string): Promise<AccountCaller> {
      const sha256 = secretSha256(apiKey);
      const found = await findByKey(sha256);
      const now = o.clock.now();
      if (found === undefined || !timingSafeEqual(found.key.sha256, sha256) || isOver(found.key, now)) {
        throw new ServiceError('invalid-credential');
      }
      const { accountId, country, billingCurrency, mode, suspendedAt } = found.account;
      if (suspendedAt !== null) throw new ServiceError('account-suspended');
      noteUse(found.key, now);
      const { keyId, scopes, expiresAt } = found.key;
      return { accountId, keyId, rights: { scopes, expiresAt }, country, billingCurrency, mode };
    },
  };
}
