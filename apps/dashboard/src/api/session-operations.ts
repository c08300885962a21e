import type { Address, ApiKeyScope } from '@svc/protocol/endpoints';

export type Role = 'owner' | 'manager' | 'door' | 'auditor';

/** The signed-in person, the account, and what the deployment offers. */
export interface Session {
  readonly user: { readonly userId: string; readonly name: string; readonly email: string; readonly role: Role };
  readonly account: {
    readonly accountId: string;
    readonly name: string;
    readonly country: string | null;
    readonly billingCurrency: string;
  };
  readonly scopes: readonly ApiKeyScope[];
  readonly csrfToken: string;
  readonly authenticatedAt: string;
  readonly expiresAt: string;
  readonly passkeys: number;
  readonly deployment: {
    readonly kioskUrl: string | null;
    readonly widgetUrl: string;
    readonly mail: boolean;
    readonly region: string;
  };
}

export interface User {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly state: 'invited' | 'active' | 'disabled';
  readonly createdAt: string;
  readonly lastSignInAt: string | null;
}

interface Passkey {
  readonly passkeyId: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

interface OwnSession {
  readonly sessionId: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly userAgent: string;
  readonly current: boolean;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}
interface Ceremony {
  readonly challengeId: string;
  // biome-ignore lint/suspicious/noExplicitAny: the browser's own type
  readonly options: any;
}
interface Operation<M extends string, P extends string, Answer, Body = never, Query = never> {
  readonly method: M;
  readonly path: P;
  readonly body: Body;
  readonly query: Query;
  readonly answer: Answer;
}
interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface SessionOperationTypes {
  getSignInMethods: Operation<
    'get',
    '/v1/sign-in',
    { passkey: true; mail: boolean; oidc: { readonly name: string } | null }
  >;
  beginPasskeySignIn: Operation<'post', '/v1/sign-in/passkey/options', Ceremony>;
  signInWithPasskey: Operation<'post', '/v1/sign-in/passkey', Session, { challengeId: string; response: unknown }>;
  requestSignInLink: Operation<'post', '/v1/sign-in/mail', undefined, { email: string; language?: string }>;
  signInWithLink: Operation<'post', '/v1/sign-in/link', Session, { token: string }>;
  getSession: Operation<'get', '/v1/session', Session>;
  updateOwnUser: Operation<'patch', '/v1/session/user', Session['user'], { name?: string; language?: string }>;
  signOut: Operation<'delete', '/v1/session', undefined>;
  beginReauthentication: Operation<'post', '/v1/session/reauthentication/options', Ceremony>;
  reauthenticate: Operation<
    'post',
    '/v1/session/reauthentication',
    Session,
    { challengeId: string; response: unknown }
  >;
  listOwnSessions: Operation<'get', '/v1/session/sessions', Page<OwnSession>, never, PageQuery>;
  revokeOwnSession: Operation<'delete', '/v1/session/sessions/{sessionId}', undefined>;
  beginPasskeyCreation: Operation<'post', '/v1/session/passkeys/options', Ceremony>;
  addPasskey: Operation<
    'post',
    '/v1/session/passkeys',
    Passkey,
    { challengeId: string; response: unknown; name: string }
  >;
  listPasskeys: Operation<'get', '/v1/session/passkeys', Page<Passkey>, never, PageQuery>;
  deletePasskey: Operation<'delete', '/v1/session/passkeys/{passkeyId}', undefined>;
  inviteUser: Operation<
    'post',
    '/v1/users',
    User & { readonly invitationUrl: string | null },
    { email: string; name: string; role: Role; language?: string }
  >;
  listUsers: Operation<'get', '/v1/users', Page<User>, never, PageQuery>;
  getUser: Operation<'get', '/v1/users/{userId}', User>;
  updateUser: Operation<'patch', '/v1/users/{userId}', User, { role?: Role; name?: string; disabled?: boolean }>;
  removeUser: Operation<'delete', '/v1/users/{userId}', undefined>;
  renewInvitation: Operation<'post', '/v1/users/{userId}/invitation', User & { readonly invitationUrl: string | null }>;
  revokeUserSessions: Operation<'delete', '/v1/users/{userId}/sessions', undefined>;
}

export const sessionEndpoints: { readonly [Id in keyof SessionOperationTypes]: Address } = {
  getSignInMethods: { method: 'get', path: '/v1/sign-in' },
  beginPasskeySignIn: { method: 'post', path: '/v1/sign-in/passkey/options' },
  signInWithPasskey: { method: 'post', path: '/v1/sign-in/passkey', takes: 'body' },
  requestSignInLink: { method: 'post', path: '/v1/sign-in/mail', takes: 'body' },
  signInWithLink: { method: 'post', path: '/v1/sign-in/link', takes: 'body' },
  getSession: { method: 'get', path: '/v1/session' },
  updateOwnUser: { method: 'patch', path: '/v1/session/user', takes: 'body' },
  signOut: { method: 'delete', path: '/v1/session' },
  beginReauthentication: { method: 'post', path: '/v1/session/reauthentication/options' },
  reauthenticate: { method: 'post', path: '/v1/session/reauthentication', takes: 'body' },
  listOwnSessions: { method: 'get', path: '/v1/session/sessions', takes: 'page' },
  revokeOwnSession: { method: 'delete', path: '/v1/session/sessions/{sessionId}' },
  beginPasskeyCreation: { method: 'post', path: '/v1/session/passkeys/options' },
  addPasskey: { method: 'post', path: '/v1/session/passkeys', takes: 'body' },
  listPasskeys: { method: 'get', path: '/v1/session/passkeys', takes: 'page' },
  deletePasskey: { method: 'delete', path: '/v1/session/passkeys/{passkeyId}' },
  inviteUser: { method: 'post', path: '/v1/users', takes: 'body' },
  listUsers: { method: 'get', path: '/v1/users', takes: 'page' },
  getUser: { method: 'get', path: '/v1/users/{userId}' },
  updateUser: { method: 'patch', path: '/v1/users/{userId}', takes: 'body' },
  removeUser: { method: 'delete', path: '/v1/users/{userId}' },
  renewInvitation: { method: 'post', path: '/v1/users/{userId}/invitation' },
  revokeUserSessions: { method: 'delete', path: '/v1/users/{userId}/sessions' },
};
