import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { CHALLENGE_MS, SESSION_COOKIE } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { listenOnLoopback } from '../../testing/loopback.ts';
import { visit } from '../../testing/person.ts';
import { createLogSink, startTestApi } from '../../testing/test-api.ts';
import { useApi } from '../../testing/use-api.ts';

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An OpenID provider on 127.0.0.1 whose person is whoever a test says. */
interface FakeOidc {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * What the provider does after the person agreed.
   * @param url that the service leads to
   * @param claims of the ID token, besides the usual ones
   * @returns the redirect address with `code` and `state`
   */
  agree(url: string, claims: Readonly<Record<string, unknown>>): URL;
  close(): Promise<void>;
}

const SECONDS = 1_000;
const base64Url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function startFakeOidc(): Promise<FakeOidc> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const [clientId, clientSecret] = ['svc', 'a secret: with + and %'];
  const grants = new Map<string, Grant>();
  let issuer = '';

  const idToken = ({ nonce, claims }: Grant): string => {
    const now = Math.floor(Date.now() / SECONDS);
    const said = { iss: issuer, aud: clientId, sub: 'somebody', iat: now, exp: now + 60, nonce, ...claims };
    const signed = `${base64Url({ alg: 'RS256', kid: 'one' })}.${base64Url(said)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };

  const answer = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

  function exchange(response: ServerResponse, form: URLSearchParams): void {
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    if (!isClient) return void answer(response, 401, { error: 'invalid_client' });
    if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return void answer(response, 400, { error: 'invalid_grant' });
    }
    const token = { access_token: randomBytes(16).toString('hex'), token_type: 'bearer', id_token: idToken(grant) };
    answer(response, 200, token);
  }

  // Never ends an idle connection that the service is about to use.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    if (request.url === '/.well-known/openid-configuration') {
      return void answer(response, 200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    }
    if (request.url === '/keys') {
      return void answer(response, 200, {
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
      });
    }
    void text(request).then((body) => exchange(response, new URLSearchParams(body)));
  });
  const { url, close } = await listenOnLoopback(server);
  server.unref();
  issuer = url;
  return {
    ...{ issuer, clientId, clientSecret, close },
    agree(url, claims) {
      const asked = new URL(url).searchParams;
      const code = randomBytes(16).toString('hex');
      const redirectUri = asked.get('redirect_uri') ?? '';
      const [challenge, nonce] = [asked.get('code_challenge') ?? '', asked.get('nonce') ?? ''];
      grants.set(code, { redirectUri, challenge, nonce, claims });
      const back = new URL(redirectUri);
      back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
      return back;
    },
  };
}

const log = createLogSink();
const provider = await startFakeOidc();
afterAll(() => provider.close());

const { api, clock } = useApi({
  customer: null,
  logDestination: log,
  environment: {
    SVC_OIDC_ISSUER: provider.issuer,
    SVC_OIDC_CLIENT_ID: provider.clientId,
    SVC_OIDC_CLIENT_SECRET: provider.clientSecret,
    SVC_OIDC_NAME: 'Example ID',
  },
});
let accountId: string;
beforeAll(async () => {
  ({ accountId } = await api.customer());
});

let invited = 0;
async function invite() {
  invited += 1;
  const email = `oidc${invited}@example.org`;
  const { user } = await api.admin.users.invite(accountId, { email, name: 'O', role: 'manager' });
  return { email, userId: user.userId };
}

/** Follows nothing. */
async function go(path: string, cookie = '') {
  const response = await fetch(new URL(path, api.url), { redirect: 'manual', headers: { Cookie: cookie } });
  const pairs = response.headers.getSetCookie().map((each) => each.replace(/;.*/s, '').split(/=(.*)/s));
  const cookies: Record<string, string> = Object.fromEntries(pairs);
  return { status: response.status, to: response.headers.get('location') ?? '', cookies };
}

async function begin() {
  const begun = await go('/v1/sign-in/oidc');
  expect(begun.status).toBe(303);
  return { url: begun.to, cookie: `__Host-svc-oidc=${begun.cookies['__Host-svc-oidc']}` };
}

/** The browser comes back; only path and query, as the service listens at a port of its own here. */
const comeBack = (back: URL, cookie: string) => go(back.pathname + back.search, cookie);
const failed = (why: string) => ({
  ...{ status: 303, to: `http://localhost:0/dashboard/sign-in?error=${why}` },
  cookies: { '__Host-svc-oidc': '', 'svc-oidc': '' },
});

it('is one of the ways to sign in, by its name', async () => {
  expect((await visit(api, 'GET', '/v1/sign-in')).body).toMatchObject({ oidc: { name: 'Example ID' } });
});

it('leads to the provider with state, nonce and PKCE, and keeps what they follow from in the browser', async () => {
  const { url, cookie } = await begin();
  const asked = Object.fromEntries(new URL(url).searchParams);
  expect(url.startsWith(`${provider.issuer}/authorize?`)).toBe(true);
  expect(asked).toMatchObject({
    client_id: 'svc',
    response_type: 'code',
    redirect_uri: 'http://localhost:0/v1/sign-in/oidc/callback',
    scope: 'openid email',
    code_challenge_method: 'S256',
  });
  for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toMatch(/^[\w-]{43}$/);
  expect(url).not.toContain(cookie.split('.')[1]);
});

it('signs in an invited user with a verified address, whatever its case', async () => {
  const { email, userId } = await invite();
  const { url, cookie } = await begin();
  const done = await comeBack(provider.agree(url, { email: email.toUpperCase(), email_verified: true }), cookie);
  expect(done).toMatchObject({ status: 303, to: 'http://localhost:0/dashboard/', cookies: { '__Host-svc-oidc': '' } });
  const session = { Cookie: `${SESSION_COOKIE}=${done.cookies[SESSION_COOKIE]}` };
  const { body } = await visit(api, 'GET', '/v1/session', undefined, session);
  expect(body).toMatchObject({ way: 'oidc', user: { userId, role: 'manager' } });
});

describe('signs in nobody', () => {
  const agreeing = async (claims: Readonly<Record<string, unknown>>) => {
    const { url, cookie } = await begin();
    return comeBack(provider.agree(url, claims), cookie);
  };

  it('who was not invited', async () => {
    const done = await agreeing({ email: 'stranger@example.org', email_verified: true });
    expect(done).toEqual(failed('oidc-not-invited'));
  });

  it('whose address is not verified', async () => {
    const { email } = await invite();
    for (const claims of [{ email }, { email, email_verified: false }, { email, email_verified: 'true' }, {}]) {
      expect(await agreeing(claims)).toEqual(failed('oidc-email-unverified'));
    }
  });

  it('who is disabled, or whose account is suspended', async () => {
    const { email, userId } = await invite();
    await api.admin.users.setDisabled(accountId, userId, true);
    expect(await agreeing({ email, email_verified: true })).toEqual(failed('oidc-not-invited'));
    await api.admin.users.setDisabled(accountId, userId, false);
    await api.admin.accounts.suspend(accountId);
    expect(await agreeing({ email, email_verified: true })).toEqual(failed('oidc-not-invited'));
    await api.admin.accounts.resume(accountId);
  });

  it('a second time with the same attempt, and not at once either', async () => {
    const { email } = await invite();
    const claims = { email, email_verified: true };
    const { url, cookie } = await begin();
    const done = await Promise.all([1, 2, 3].map(() => comeBack(provider.agree(url, claims), cookie)));
    expect(done.filter(({ to }) => to.endsWith('/dashboard/'))).toHaveLength(1);
    expect(await comeBack(provider.agree(url, claims), cookie)).toEqual(failed('oidc-refused'));
  });

  it('without the cookie of the browser that began, with that of another, or too late', async () => {
    const { email } = await invite();
    const claims = { email, email_verified: true };
    const mine = await begin();
    const theirs = await begin();
    expect(await comeBack(provider.agree(mine.url, claims), '')).toEqual(failed('oidc-refused'));
    expect(await comeBack(provider.agree(mine.url, claims), theirs.cookie)).toEqual(failed('oidc-refused'));
    clock.advance(CHALLENGE_MS);
    expect(await comeBack(provider.agree(mine.url, claims), mine.cookie)).toEqual(failed('oidc-refused'));
  });

  it('with another nonce, another receiver, another issuer, or an ID token that is over', async () => {
    const { email } = await invite();
    const good = { email, email_verified: true };
    for (const wrong of [{ nonce: 'x' }, { aud: 'another' }, { iss: 'https://evil.example' }, { exp: 1 }]) {
      expect(await agreeing({ ...good, ...wrong })).toEqual(failed('oidc-refused'));
    }
  });

  it('whom the provider refuses, or who comes with nothing', async () => {
    const { cookie } = await begin();
    const refused = '/v1/sign-in/oidc/callback?error=access_denied&error_description=canary';
    expect(await go(refused, cookie)).toEqual(failed('oidc-refused'));
    expect(await go('/v1/sign-in/oidc/callback')).toEqual(failed('oidc-refused'));
    expect(log.text).not.toContain('canary');
  });
});

it('a provider that is not there leads back to the sign-in page, and is asked again', async () => {
  const settings = { SVC_OIDC_ISSUER: 'http://127.0.0.1:1', SVC_OIDC_CLIENT_ID: 'svc' };
  const nowhere = await startTestApi(inject('postgres'), { createInference: createFakeInference }, settings);
  onTestFinished(() => nowhere.close());
  for (let i = 0; i < 2; i += 1) {
    const response = await fetch(`${nowhere.url}/v1/sign-in/oidc`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe('http://localhost:0/dashboard/sign-in?error=oidc-unavailable');
  }
});
