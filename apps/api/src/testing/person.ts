import {
  CSRF_HEADER,
  type InviteUserRequest,
  type NewPasskeyChallenge,
  type PasskeyChallenge,
  type PasskeyResource,
  SESSION_COOKIE,
  type Session,
} from '@svc/protocol';
import type { TestAuthenticator } from './authenticator.ts';
import { type Answer, sendJson, type TestApi } from './test-api.ts';

/** A signed-in person: its session, and requests with it as the dashboard sends them. */
export interface TestPerson {
  readonly userId: string;
  readonly sessionId: string;
  /** In the cookie. */
  readonly secret: string;
  readonly csrfToken: string;
  /** Cookie and CSRF token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly session: Session;
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
}

/** Sends what nobody has signed in for. */
export const visit = <T = Record<string, unknown>>(
  api: Pick<TestApi, 'url'>,
  method: string,
  path: string,
  ...sent: [body?: unknown, headers?: Record<string, string>]
): Promise<Answer<T>> => sendJson<T>(api.url + path, method, ...sent);

/** The session's secret that an answer sets; null for none. */
export function secretOf({ headers }: Pick<Answer, 'headers'>): string | null {
  const prefix = `${SESSION_COOKIE}=`;
  const cookie = headers.getSetCookie().find((each) => each.startsWith(prefix));
  return cookie?.slice(prefix.length).split(';', 1)[0] ?? null;
}

/** @throws Error when the answer is not that of a sign-in */
export function toPerson(api: Pick<TestApi, 'url'>, answer: Answer<Session>): TestPerson {
  const secret = secretOf(answer);
  if (answer.status !== 200 || secret === null) throw new Error(`not signed in: ${JSON.stringify(answer.body)}`);
  const { user, sessionId, csrfToken } = answer.body;
  const own = { Cookie: `${SESSION_COOKIE}=${secret}`, [CSRF_HEADER]: csrfToken };
  return {
    ...{ userId: user.userId, sessionId, secret, csrfToken, headers: own, session: answer.body },
    request: (method, path, body, headers = {}) => visit(api, method, path, body, { ...own, ...headers }),
  };
}

/** What a link has behind its `#`. */
export const tokenOf = (url: string | null): string => new URL(url ?? '').hash.slice(1);

/** Signs in with the link of an invitation or a mail. */
export async function signInWith(api: Pick<TestApi, 'url'>, url: string | null): Promise<TestPerson> {
  return toPerson(api, await visit<Session>(api, 'POST', '/v1/sign-in/link', { token: tokenOf(url) }));
}

let made = 0;

/** A new user of an account, signed in; an owner unless another role is named. */
export async function createPerson(
  api: Pick<TestApi, 'url' | 'admin'>,
  accountId: string,
  o: Partial<InviteUserRequest> = {},
): Promise<TestPerson> {
  made += 1;
  const request = { email: `person${made}@example.org`, name: `Person ${made}`, role: 'owner' as const, ...o };
  const { invitationUrl } = await api.admin.users.invite(accountId, request);
  return signInWith(api, invitationUrl);
}

/** @returns its id */
export async function addPasskey(
  api: Pick<TestApi, 'url'>,
  person: TestPerson,
  authenticator: TestAuthenticator,
): Promise<string> {
  const begun = await person.request<NewPasskeyChallenge>('POST', '/v1/session/passkeys/options');
  const request = authenticator.create(begun.body);
  const added = await person.request<PasskeyResource>('POST', '/v1/session/passkeys', request);
  if (added.status !== 201) throw new Error(`${api.url}: no passkey: ${JSON.stringify(added.body)}`);
  return added.body.passkeyId;
}

/** Signs in with a passkey. */
export async function signInWithPasskey(
  api: Pick<TestApi, 'url'>,
  authenticator: TestAuthenticator,
): Promise<TestPerson> {
  const begun = await visit<PasskeyChallenge>(api, 'POST', '/v1/sign-in/passkey/options');
  return toPerson(api, await visit<Session>(api, 'POST', '/v1/sign-in/passkey', authenticator.get(begun.body)));
}
