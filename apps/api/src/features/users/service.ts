import {
  INVITATION_MS,
  type InviteUserRequest,
  isId,
  MAX_USERS,
  roleScopes,
  type UpdateUserRequest,
  type UserRole,
} from '@svc/protocol';
import { createSecret } from '../../crypto/secrets.ts';
import type { InTransaction, Transaction } from '../../db/connection.ts';
import { found, missing, ServiceError } from '../../platform/errors.ts';
import type { Mailer } from '../../platform/mail.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../platform/paging.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { actOf } from '../audit/service.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { Uses } from '../uses.ts';
import { invitationMail } from './mails.ts';
import type { UserKey, UserRecord, UserStore, UserView } from './store.ts';

export interface Invited {
  readonly user: UserView;
  /** Never shown again; null where it was mailed. */
  readonly invitationUrl: string | null;
}

/** How a link gets to its person: by mail where there is a server, or by whoever asked for it. */
export type Delivery = 'mail' | 'show';

export type UserService = ReturnType<typeof createUserService>;

export function createUserService(
  o: Uses<'database' | 'audit' | 'erasures' | 'ids' | 'clock' | 'random'> & {
    readonly users: UserStore;
    readonly sessions: Pick<SessionStore, 'removeAll'>;
    readonly mailer: Mailer | null;
    readonly dashboardUrl: string | null;
    /** Told of a mail that was not taken. */
    readonly onError: (error: unknown) => void;
  },
) {
  const now = () => new Date(o.clock.now());

  /** Nobody hands out, changes or takes rights that they lack. @throws ServiceError 'insufficient-scope' */
  function requireRights({ rights: { scopes } }: AccountCaller, ...roles: readonly UserRole[]): void {
    if (scopes === null) return;
    // An owner has all rights, also those to come.
    const isWithin = (role: UserRole) => role !== 'owner' && roleScopes[role].every((scope) => scopes.includes(scope));
    if (!roles.every(isWithin)) {
      throw new ServiceError('insufficient-scope', { detail: 'The role has more rights than the caller.' });
    }
  }

  /** @throws ServiceError 'not-found' */
  async function lock(tx: Transaction, { accountId }: AccountCaller, userId: string): Promise<UserRecord> {
    const isThere = isId('usr', userId) && (await o.users.lock(tx, accountId));
    return found(isThere ? await o.users.find({ accountId, userId }, tx) : null, 'user');
  }

  /** The caller holds the account's lock, so that two owners cannot remove each other. @throws ServiceError 'last-owner' */
  async function keepAnOwner(tx: Transaction, { accountId, userId }: UserKey): Promise<void> {
    const owners = await o.users.active(accountId, ['owner'], tx);
    if (owners.length === 1 && owners[0]?.userId === userId) throw new ServiceError('last-owner');
  }

  /** With the links, by which a session could begin. */
  async function endSessions(tx: Transaction, { accountId, userId }: UserKey): Promise<void> {
    const untilMs = o.clock.now();
    await o.erasures.remember([{ kind: 'user-sessions', accountId, userId, untilMs }], untilMs);
    await o.sessions.removeAll(tx, { accountId, userId });
    await o.users.removeLinks(tx, { accountId, userId });
  }

  async function view(key: UserKey, tx: Transaction): Promise<UserView> {
    return found(await o.users.view(key, now(), tx), 'user');
  }

  /** A link in place of those from before. @returns its URL */
  async function addInvitation(tx: Transaction, { accountId, userId }: UserKey): Promise<string> {
    const { secret, sha256 } = createSecret(o.random, 'svcl');
    const expiresAt = new Date(o.clock.now() + INVITATION_MS);
    await o.users.removeLinks(tx, { accountId, userId });
    const linkId = o.ids.nextUuid();
    await o.users.addLink(tx, { accountId, userId, linkId, sha256, purpose: 'invitation', expiresAt });
    return `${requireUrl()}invitation#${secret}`;
  }

  /** @throws ServiceError 'sign-in-unavailable' */
  function requireUrl(): string {
    if (o.dashboardUrl === null) throw new ServiceError('sign-in-unavailable');
    return o.dashboardUrl;
  }

  /** Mails the link after its transaction; where that fails, it is shown after all. */
  async function deliver(user: UserView, accountName: string, url: string, delivery: Delivery): Promise<Invited> {
    if (delivery === 'show' || o.mailer === null) return { user, invitationUrl: url };
    try {
      await o.mailer.send(invitationMail({ ...user, accountName, url }));
      return { user, invitationUrl: null };
    } catch (error) {
      o.onError(error);
      return { user, invitationUrl: url };
    }
  }

  /** @param prepare finds or makes the user, under the account's lock */
  async function inviting(
    caller: AccountCaller,
    delivery: Delivery,
    action: 'user.invite' | 'user.renew-invitation',
    prepare: (tx: Transaction) => Promise<UserKey>,
    remember?: InTransaction<Invited>,
  ): Promise<Invited> {
    requireUrl();
    const { accountId } = caller;
    const { user, url, accountName } = await o.database.transaction(async (tx) => {
      const key = await prepare(tx);
      const url = await addInvitation(tx, key);
      const user = await view(key, tx);
      await o.audit.record(tx, actOf(caller, action, user.userId));
      await remember?.(tx, { user, invitationUrl: delivery === 'show' ? url : null });
      return { user, url, accountName: (await o.users.account(tx, accountId))?.name ?? '' };
    });
    return deliver(user, accountName, url, delivery);
  }

  return {
    /** How invitations of people and API keys are delivered. */
    delivery: (o.mailer === null ? 'show' : 'mail') as Delivery,
    /** Whether any account has a user. */
    hasAny: (): Promise<boolean> => o.users.hasAny(),
    /**
     * @throws ServiceError 'user-exists', 'user-limit-reached', 'insufficient-scope', 'sign-in-unavailable', or 'not-found'
     * for an unknown account
     */
    invite(
      caller: AccountCaller,
      { email, name, role, language }: InviteUserRequest,
      delivery: Delivery,
      remember?: InTransaction<Invited>,
    ): Promise<Invited> {
      requireRights(caller, role);
      const { accountId } = caller;
      async function add(tx: Transaction): Promise<UserKey> {
        if (!(await o.users.lock(tx, accountId))) throw missing('account');
        const user: UserRecord = {
          ...{ accountId, userId: o.ids.next('usr'), email: email.toLowerCase(), name, role },
          ...{ language: language ?? null, createdAt: now(), lastSignedInAt: null, disabledAt: null, mutedNotices: [] },
        };
        if ((await o.users.findByEmail(accountId, user.email, tx)) !== null) throw new ServiceError('user-exists');
        if ((await o.users.count(tx, accountId)) >= MAX_USERS) throw new ServiceError('user-limit-reached');
        await o.users.insert(tx, user);
        return user;
      }
      return inviting(caller, delivery, 'user.invite', add, remember);
    },
    /** Links from before stop working. @throws ServiceError as {@link invite}, or 'user-disabled' */
    renewInvitation(caller: AccountCaller, userId: string, delivery: Delivery, remember?: InTransaction<Invited>) {
      async function renew(tx: Transaction): Promise<UserKey> {
        const user = await lock(tx, caller, userId);
        requireRights(caller, user.role);
        if (user.disabledAt !== null) throw new ServiceError('user-disabled');
        return user;
      }
      return inviting(caller, delivery, 'user.renew-invitation', renew, remember);
    },
    /** Newest first. @throws ServiceError 'invalid-request' for a foreign cursor */
    async page({ accountId }: AccountCaller, { cursor, limit }: PageRequest): Promise<Page<UserView>> {
      const before = decodeCursor(cursor, (key) => isId('usr', key));
      const rows = await o.users.page(accountId, before, now(), limit + 1);
      return toPage(rows, limit, ({ userId }) => userId);
    },
    /** @throws ServiceError 'not-found' */
    async get({ accountId }: AccountCaller, userId: string): Promise<UserView> {
      return found(isId('usr', userId) ? await o.users.view({ accountId, userId }, now()) : null, 'user');
    },
    /** @throws ServiceError 'not-found', 'insufficient-scope' or 'last-owner' */
    update: (caller: AccountCaller, userId: string, { name, role, disabled }: UpdateUserRequest): Promise<UserView> =>
      o.database.transaction(async (tx) => {
        const user = await lock(tx, caller, userId);
        requireRights(caller, user.role, role ?? user.role);
        const newRole = role !== undefined && role !== user.role ? role : undefined;
        const isDisabled = user.disabledAt !== null;
        const isSwitched = disabled !== undefined && disabled !== isDisabled;
        if (newRole !== undefined || (isSwitched && !isDisabled)) await keepAnOwner(tx, user);
        const disabledAt = isSwitched ? (isDisabled ? null : now()) : undefined;
        const newName = name !== undefined && name !== user.name ? name : undefined;
        if (newName === undefined && newRole === undefined && !isSwitched) return view(user, tx);
        await o.users.update(tx, user, {
          ...(newName === undefined ? {} : { name: newName }),
          ...(newRole === undefined ? {} : { role: newRole }),
          ...(disabledAt === undefined ? {} : { disabledAt }),
        });
        // What was begun with other rights ends: the person signs in again and gets a new secret.
        if (isSwitched) await endSessions(tx, user);
        else if (newRole !== undefined) await o.sessions.removeAll(tx, user);
        await o.audit.record(tx, actOf(caller, 'user.update', userId));
        return view(user, tx);
      }),
    /** @throws ServiceError 'not-found', 'insufficient-scope' or 'last-owner' */
    remove: (caller: AccountCaller, userId: string): Promise<void> =>
      o.database.transaction(async (tx) => {
        const user = await lock(tx, caller, userId);
        requireRights(caller, user.role);
        await keepAnOwner(tx, user);
        const { accountId } = user;
        await o.erasures.remember([{ kind: 'user', accountId, userId }], o.clock.now());
        await o.users.remove(tx, user);
        await o.audit.record(tx, actOf(caller, 'user.remove', userId));
      }),
    /** @throws ServiceError 'not-found' or 'insufficient-scope' */
    revokeSessions: (caller: AccountCaller, userId: string): Promise<void> =>
      o.database.transaction(async (tx) => {
        const user = await lock(tx, caller, userId);
        requireRights(caller, user.role);
        await endSessions(tx, user);
        await o.audit.record(tx, actOf(caller, 'user.revoke-sessions', userId));
      }),
  };
}
