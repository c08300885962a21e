import {
  apiKeyScopes,
  CHALLENGE_MS,
  type NewPasskeyChallenge,
  type PasskeyChallenge,
  roleScopes,
  SESSION_COOKIE,
  SESSION_MS,
} from '@svc/protocol';
import type { Request, Response } from 'express';
import type { ApiConfig } from '../../config/config.ts';
import { clearCookie, cookieOf, csrfTokenOf, sessionSecretOf, setCookie } from '../../http/credentials.ts';
import type { Engines } from '../../inference/engines.ts';
import { mapPage } from '../../platform/paging.ts';
import { type Handlers, pick } from '../handlers.ts';
import type { FirstOwnerService } from './first-owner.ts';
import { OidcError, type OidcService } from './oidc.ts';
import type { PasskeyService } from './passkeys.ts';
import type { Browser, Person, SessionService, StartedSession } from './service.ts';
import type { SignInService, Visitor } from './sign-in.ts';
import type { PasskeyRecord, SessionRecord } from './store.ts';

/** Name and mark, the more special ones first: most browsers name others as well. */
const BROWSERS = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;
const PLATFORMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows NT\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
] as const;
/** Most characters of the header that are looked at. */
const MOST = 512;

type Marks = readonly (readonly [name: string, mark: RegExp])[];

/** What a person needs to recognise a session by, and no more. @param userAgent the header */
export function browserOf(userAgent: string | undefined): Browser {
  const text = userAgent?.slice(0, MOST) ?? '';
  const nameIn = (marks: Marks) => marks.find(([, mark]) => mark.test(text))?.[0] ?? null;
  return { browser: nameIn(BROWSERS), platform: nameIn(PLATFORMS) };
}

const OIDC_COOKIE = '__Host-svc-oidc';

const toPasskey = (passkey: PasskeyRecord) => pick(passkey, ['passkeyId', 'name', 'synced', 'createdAt', 'lastUsedAt']);

const toOwnSession = (session: SessionRecord, current: string) => ({
  ...pick(session, ['sessionId', 'way', 'browser', 'platform', 'createdAt', 'lastUsedAt', 'expiresAt']),
  current: session.sessionId === current,
});

function visitorOf(request: Request): Visitor {
  return { browser: browserOf(request.get('user-agent')), former: cookieOf(request, SESSION_COOKIE) ?? null };
}

export function sessionHandlers(o: {
  readonly config: Pick<ApiConfig, 'apiUrl' | 'dashboardUrl' | 'kioskUrl' | 'widget' | 'region'>;
  readonly engines: Pick<Engines, 'models'>;
  readonly hasMail: boolean;
  readonly sessionService: SessionService;
  readonly signIn: SignInService;
  readonly firstOwner: FirstOwnerService;
  readonly passkeys: PasskeyService;
  readonly oidc: OidcService;
  readonly onError: (error: unknown) => void;
}) {
  const { apiUrl, kioskUrl, widget, region } = o.config;
  const deployment = { apiUrl, kioskUrl, widgetUrl: widget.url, mail: o.hasMail, region, models: o.engines.models };

  async function toSession(person: Person, secret: string) {
    const { items } = await o.passkeys.page(person, { limit: Number.MAX_SAFE_INTEGER - 1 });
    const { account, role } = person;
    return {
      ...pick(person, ['sessionId', 'way', 'authenticatedAt', 'expiresAt']),
      user: pick(person, ['userId', 'name', 'email', 'role', 'language', 'mutedNotices']),
      account: { accountId: person.accountId, ...pick(account, ['name', 'country', 'billingCurrency', 'mode']) },
      scopes: role === 'owner' ? [...apiKeyScopes] : [...roleScopes[role]],
      csrfToken: csrfTokenOf(secret),
      passkeys: items.length,
      deployment,
    };
  }

  async function started(response: Response, { person, secret }: StartedSession) {
    const body = await toSession(person, secret);
    setCookie(response, SESSION_COOKIE, secret, SESSION_MS);
    return { body };
  }

  const dashboard = (path: string) => `${o.config.dashboardUrl ?? '/dashboard/'}${path}`;

  /** What comes of a sign-in with another provider is a page in any case. */
  async function leading(response: Response, to: () => Promise<string>): Promise<void> {
    let location: string;
    try {
      location = await to();
    } catch (error) {
      if (!(error instanceof OidcError)) throw error;
      if (error.cause !== undefined) o.onError(error);
      location = dashboard(`sign-in?error=${error.failure}`);
    }
    response.status(303).set('Location', location).end();
  }

  return {
    getSignInMethods: () => ({
      passkey: o.passkeys.isAvailable,
      mail: o.hasMail && o.config.dashboardUrl !== null,
      oidc: o.oidc.name === null ? null : { name: o.oidc.name },
    }),
    beginPasskeySignIn: async () => ({ body: (await o.passkeys.beginSignIn()) as PasskeyChallenge }),
    signInWithPasskey: async ({ request, response, body }) =>
      started(response, await o.signIn.withPasskey(visitorOf(request), body)),
    requestSignInLink({ body: { email, language } }) {
      o.signIn.requestLink(email, language ?? null);
      return {};
    },
    async signInWithLink({ request, response, body: { token, owner } }) {
      const visitor = visitorOf(request);
      const claim = () =>
        owner === undefined ? o.signIn.withLink(visitor, token) : o.firstOwner.claim(visitor, token, owner);
      return started(response, await claim());
    },
    beginOidcSignIn: ({ response }) =>
      leading(response, async () => {
        const { url, cookie } = await o.oidc.begin();
        setCookie(response, OIDC_COOKIE, cookie, CHALLENGE_MS);
        return url;
      }),
    finishOidcSignIn: ({ request, response, query }) =>
      leading(response, async () => {
        const cookie = cookieOf(request, OIDC_COOKIE);
        clearCookie(response, OIDC_COOKIE);
        const given = new URLSearchParams();
        for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value);
        const { secret } = await o.oidc.finish(visitorOf(request), given, cookie);
        setCookie(response, SESSION_COOKIE, secret, SESSION_MS);
        return dashboard('');
      }),
    getSession: ({ caller, request }) => toSession(caller, sessionSecretOf(request)),
    async signOut({ caller, response }) {
      await o.sessionService.end(caller);
      clearCookie(response, SESSION_COOKIE);
    },
    updateOwnUser: async ({ caller, request, body }) =>
      toSession(await o.sessionService.updateUser(caller, body), sessionSecretOf(request)),
    beginReauthentication: async ({ caller }) => ({
      body: (await o.passkeys.beginConfirmation(caller)) as PasskeyChallenge,
    }),
    reauthenticate: async ({ caller, request, body }) => ({
      body: await toSession(await o.signIn.confirm(caller, body), sessionSecretOf(request)),
    }),
    listOwnSessions: async ({ caller, query }) =>
      mapPage(await o.sessionService.page(caller, query), (session) => toOwnSession(session, caller.sessionId)),
    revokeOwnSession: ({ caller, params }) => o.sessionService.revoke(caller, params.sessionId),
    beginPasskeyCreation: async ({ caller }) => ({
      body: (await o.passkeys.beginCreation(caller)) as NewPasskeyChallenge,
    }),
    addPasskey: async ({ caller, body }) => ({ body: toPasskey(await o.passkeys.add(caller, body)) }),
    listPasskeys: async ({ caller, query }) => mapPage(await o.passkeys.page(caller, query), toPasskey),
    deletePasskey: ({ caller, params }) => o.passkeys.remove(caller, params.passkeyId),
  } satisfies Partial<Handlers>;
}
