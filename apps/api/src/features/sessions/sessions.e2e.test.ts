import { createHash } from 'node:crypto';
import {
  CHALLENGE_MS,
  CSRF_HEADER,
  HOUR_MS,
  INVITATION_MS,
  type InvitedUser,
  MAX_PASSKEYS,
  MINUTE_MS,
  type NewPasskeyChallenge,
  type OwnSession,
  type PasskeyChallenge,
  SESSION_COOKIE,
  SESSION_IDLE_MS,
  SESSION_MS,
  type Session,
  SIGN_IN_LINK_MS,
  type UserResource,
} from '@svc/protocol';
import { afterAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { TestAuthenticator, type Wrong } from '../../testing/authenticator.ts';
import { inDatabase } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { startFakeSmtp } from '../../testing/fake-smtp.ts';
import {
  addPasskey,
  createPerson,
  secretOf,
  signInWith,
  signInWithPasskey,
  type TestPerson,
  tokenOf,
  toPerson,
  visit,
} from '../../testing/person.ts';
import { createLogSink, oneNodeOnly, startTestApi } from '../../testing/test-api.ts';
import { useApi, useServices } from '../../testing/use-api.ts';

const log = createLogSink();
const smtp = await startFakeSmtp();
afterAll(() => smtp.close());

const { api, clock, customer } = useApi({
  logDestination: log,
  environment: { SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: 'Check-in <no-reply@example.org>' },
});
const services = useServices(api, { clock });
beforeEach(() => clock.advance(HOUR_MS));

const newPerson = (o: Parameters<typeof createPerson>[2] = {}) => createPerson(api, customer.accountId, o);
const statusOf = async (person: TestPerson) => (await person.request('GET', '/v1/session')).status;
const inviteDoor = (email: string) =>
  api.admin.users.invite(customer.accountId, { email, name: 'Somebody', role: 'door' });
const passkeyRefused = { status: 422, body: { code: 'passkey-refused' } };
const signInFailed = { status: 401, body: { code: 'sign-in-failed' } };
const urlIn = (text: string) => /http:\S+#svcl_\w+/.exec(text)?.[0] ?? null;

/** Another node, without mail. */
async function startBare(environment: Record<string, string> = {}) {
  const node = await startTestApi(inject('postgres'), { createInference: createFakeInference }, environment);
  onTestFinished(() => node.close());
  return node;
}

async function withPasskey() {
  const person = await newPerson();
  const authenticator = new TestAuthenticator();
  await addPasskey(api, person, authenticator);
  return { person, authenticator };
}
const beginSignIn = async () => (await visit<PasskeyChallenge>(api, 'POST', '/v1/sign-in/passkey/options')).body;

describe('a session', () => {
  it('is a cookie of this host alone, unreadable for scripts, and a hash in the database', async () => {
    const { invitationUrl } = await inviteDoor('a@example.org');
    const answer = await visit<Session>(api, 'POST', '/v1/sign-in/link', { token: tokenOf(invitationUrl) });
    const [cookie = '', overHttp = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-svc-session=svcs_[0-9A-Za-z]{49}; Path=\/; Max-Age=1209600; Secure; HttpOnly; SameSite=Lax$/,
    );
    // For Safari at http://localhost.
    expect(overHttp).toBe(cookie.replace('__Host-', '').replace(' Secure;', ''));
    const asked = await visit(api, 'GET', '/v1/session', undefined, { Cookie: `other=1; ${overHttp.split(';', 1)}` });
    expect(asked).toMatchObject({ status: 200, body: { user: { email: 'a@example.org' } } });
    const secret = secretOf(answer) ?? '';
    const whole = await inDatabase<{ hash: Buffer; text: string }>(
      api,
      'SELECT secret_sha256 AS hash, row_to_json(s)::text AS text FROM user_sessions s WHERE account_id = $1',
      [customer.accountId],
    );
    expect(whole.map(({ hash }) => hash)).toEqual([createHash('sha256').update(secret).digest()]);
    expect(JSON.stringify(whole)).not.toContain(secret);
    expect(log.text).not.toContain(secret);
    expect(answer.body).toMatchObject({
      user: { email: 'a@example.org', role: 'door' },
      account: { accountId: customer.accountId, country: 'DE' },
      scopes: ['events:read', 'lists:read', 'devices:read', 'devices:write'],
      deployment: { mail: true },
    });
  });

  it('ends when it was not used for twelve hours, and lasts while it is', async () => {
    const person = await newPerson();
    // The use is noted after the answer.
    const noted = async () =>
      (await person.request<{ items: OwnSession[] }>('GET', '/v1/session/sessions')).body.items[0]?.lastUsedAt;
    for (let hours = 0; hours < 30; hours += 10) {
      clock.advance(10 * HOUR_MS);
      expect(await statusOf(person)).toBe(200);
      await expect.poll(noted).toBe(new Date(clock.now()).toISOString());
    }
    clock.advance(SESSION_IDLE_MS - 1);
    expect(await statusOf(person)).toBe(200);
    const idle = await newPerson();
    clock.advance(SESSION_IDLE_MS);
    expect(await statusOf(idle)).toBe(401);
  });

  it('ends fourteen days after its person signed in, however much it is used', async () => {
    const person = await newPerson();
    clock.advance(SESSION_MS - 1);
    const used = 'UPDATE user_sessions SET last_used_at = $1 WHERE session_id = $2';
    await inDatabase(api, used, [new Date(clock.now()), person.sessionId]);
    expect(await statusOf(person)).toBe(200);
    clock.advance(1);
    expect(await statusOf(person)).toBe(401);
  });

  it('has a new secret at each sign-in, and the one that the browser had ends', async () => {
    const { person, authenticator } = await withPasskey();
    const answer = authenticator.get(await beginSignIn());
    const again = toPerson(api, await visit(api, 'POST', '/v1/sign-in/passkey', answer, person.headers));
    expect(again.secret).not.toBe(person.secret);
    expect(await statusOf(person)).toBe(401);
    expect(await statusOf(again)).toBe(200);
  });

  it('is never one that somebody planted: not a made-up one, nor with a second cookie of its name', async () => {
    const { invitationUrl } = await inviteDoor('b@example.org');
    const planted = 'svcs_planted';
    const token = tokenOf(invitationUrl);
    const answer = await visit(api, 'POST', '/v1/sign-in/link', { token }, { Cookie: `${SESSION_COOKIE}=${planted}` });
    expect(secretOf(answer)).not.toBe(planted);
    const attacker = await newPerson();
    const victim = await newPerson();
    const both = { Cookie: `${SESSION_COOKIE}=${attacker.secret}; ${SESSION_COOKIE}=${victim.secret}` };
    expect((await victim.request('GET', '/v1/session', undefined, both)).status).toBe(401);
  });

  it.each<[string, (person: TestPerson, owner: TestPerson) => Promise<unknown>]>([
    ['signs out', (person) => person.request('DELETE', '/v1/session')],
    ['revokes it', (person) => person.request('DELETE', `/v1/session/sessions/${person.sessionId}`)],
    ['is signed out everywhere', ({ userId }, owner) => owner.request('DELETE', `/v1/users/${userId}/sessions`)],
    ['is disabled', ({ userId }, owner) => owner.request('PATCH', `/v1/users/${userId}`, { disabled: true })],
    ['gets another role', ({ userId }, owner) => owner.request('PATCH', `/v1/users/${userId}`, { role: 'auditor' })],
    ['is removed', ({ userId }, owner) => owner.request('DELETE', `/v1/users/${userId}`)],
  ])('stops at once for whoever stole it when its person %s', async (_what, end) => {
    const owner = await newPerson();
    const person = await newPerson({ role: 'manager' });
    expect(await statusOf(person)).toBe(200);
    expect(await end(person, owner)).toMatchObject({ status: expect.toBeOneOf([200, 204]) as number });
    for (const path of ['/v1/session', '/v1/lists']) {
      expect(await person.request('GET', path)).toMatchObject({ status: 401, body: { code: 'invalid-credential' } });
    }
    expect(await statusOf(owner)).toBe(200);
  });

  it('stops while its account is suspended, and nobody signs in to it', async () => {
    const { person, authenticator } = await withPasskey();
    const { invitationUrl } = await api.admin.users.link(customer.accountId, person.userId);
    await api.admin.accounts.suspend(customer.accountId);
    const refused = { status: 401, body: { code: 'account-suspended' } };
    expect(await person.request('GET', '/v1/session')).toMatchObject(refused);
    expect(await person.request('GET', '/v1/lists')).toMatchObject(refused);
    expect(await visit(api, 'POST', '/v1/sign-in/link', { token: tokenOf(invitationUrl) })).toMatchObject(refused);
    const answer = authenticator.get(await beginSignIn());
    expect(await visit(api, 'POST', '/v1/sign-in/passkey', answer)).toMatchObject(refused);
    await api.admin.accounts.resume(customer.accountId);
    expect(await statusOf(person)).toBe(200);
    expect((await signInWith(api, invitationUrl)).userId).toBe(person.userId);
  });

  it('is listed for its person alone, by browser and without its secret', async () => {
    const { person, authenticator } = await withPasskey();
    const agent =
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 and something that nobody should keep';
    clock.advance(1);
    const answer = authenticator.get(await beginSignIn());
    await visit(api, 'POST', '/v1/sign-in/passkey', answer, { 'User-Agent': agent });
    const { body } = await person.request<{ items: OwnSession[] }>('GET', '/v1/session/sessions');
    expect(body.items.map(({ current, browser, platform, way }) => [current, browser, platform, way])).toEqual([
      [false, 'Firefox', 'Linux', 'passkey'],
      [true, null, null, 'invitation'],
    ]);
    expect(JSON.stringify(body)).not.toContain('svcs_');
    const other = await newPerson();
    const mine = body.items[0]?.sessionId;
    expect((await other.request('DELETE', `/v1/session/sessions/${mine}`)).status).toBe(404);
    expect((await person.request('DELETE', `/v1/session/sessions/${mine}`)).status).toBe(204);
  });

  it('and what else is over is removed by the job', async () => {
    const person = await newPerson();
    await visit(api, 'POST', '/v1/sign-in/passkey/options');
    await api.admin.users.link(customer.accountId, person.userId);
    clock.advance(INVITATION_MS);
    await services.sessionService.sweep();
    for (const table of ['user_sessions', 'user_links', 'sign_in_challenges']) {
      expect([table, await inDatabase(api, `SELECT 1 FROM ${table}`, [])]).toEqual([table, []]);
    }
  });

  it('has its limit of requests, and signing in has one by address', async () => {
    const oneNode = oneNodeOnly('its own count of those who sign in');
    const limits = { SVC_RATE_LIMIT_API_KEY: '3', SVC_RATE_LIMIT_SIGN_IN: '4', ...oneNode };
    const limited = await startBare(limits);
    const { accountId } = await limited.customer();
    const person = await createPerson(limited, accountId);
    for (const status of [200, 200, 200, 429]) expect((await person.request('GET', '/v1/lists')).status).toBe(status);
    for (const status of [401, 401, 401, 429]) {
      expect((await visit(limited, 'POST', '/v1/sign-in/link', { token: 'svcl_x' })).status).toBe(status);
    }
  });
});

describe('a passkey', () => {
  it('answers a challenge once, and in time', async () => {
    const { authenticator } = await withPasskey();
    const answer = authenticator.get(await beginSignIn());
    toPerson(api, await visit<Session>(api, 'POST', '/v1/sign-in/passkey', answer));
    expect(await visit(api, 'POST', '/v1/sign-in/passkey', answer)).toMatchObject(signInFailed);
    const late = await beginSignIn();
    clock.advance(CHALLENGE_MS);
    expect(await visit(api, 'POST', '/v1/sign-in/passkey', authenticator.get(late))).toMatchObject(signInFailed);
    const both = authenticator.get(await beginSignIn());
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => (await visit(api, 'POST', '/v1/sign-in/passkey', both)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it.each<[string, Wrong]>([
    ['of a page elsewhere', { origin: 'https://evil.example' }],
    ['of another port', { origin: 'http://localhost:1' }],
    ['for another host', { rpId: 'evil.example' }],
    ['without its owner’s fingerprint, face or code', { userVerified: false }],
    ['without its owner', { userPresent: false }],
    ['to another challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
    ['of another kind', { type: 'webauthn.create' }],
    ['of a clone, whose counter stands still', { counter: 1 }],
  ])('does not sign in %s', async (_what, wrong) => {
    const { authenticator } = await withPasskey();
    await signInWithPasskey(api, authenticator);
    const answer = authenticator.get(await beginSignIn(), wrong);
    const refused = await visit(api, 'POST', '/v1/sign-in/passkey', answer);
    expect(refused).toMatchObject(signInFailed);
    expect(secretOf(refused)).toBeNull();
  });

  it('does not sign in as somebody whose passkey has the same id', async () => {
    const { person, authenticator } = await withPasskey();
    const thief = await newPerson({ role: 'door' });
    const same = new TestAuthenticator(authenticator.credentialId);
    await addPasskey(api, thief, same);
    expect((await signInWithPasskey(api, same)).userId).toBe(thief.userId);
    expect((await signInWithPasskey(api, authenticator)).userId).toBe(person.userId);
  });

  it('of a disabled or removed user signs in no more', async () => {
    const { person, authenticator } = await withPasskey();
    const owner = await newPerson();
    await owner.request('PATCH', `/v1/users/${person.userId}`, { disabled: true });
    const attempt = async () => visit(api, 'POST', '/v1/sign-in/passkey', authenticator.get(await beginSignIn()));
    expect(await attempt()).toMatchObject(signInFailed);
    await owner.request('PATCH', `/v1/users/${person.userId}`, { disabled: false });
    expect((await attempt()).status).toBe(200);
    await owner.request('DELETE', `/v1/users/${person.userId}`);
    expect(await attempt()).toMatchObject(signInFailed);
  });

  it.each<[string, Wrong]>([
    ['of a page elsewhere', { origin: 'https://evil.example' }],
    ['without its owner’s fingerprint, face or code', { userVerified: false }],
    ['to another challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
  ])('is not added %s', async (_what, wrong) => {
    const person = await newPerson();
    const begun = await person.request<NewPasskeyChallenge>('POST', '/v1/session/passkeys/options');
    expect(begun.body.options).toMatchObject({
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    });
    const request = new TestAuthenticator().create(begun.body, 'Phone', wrong);
    expect(await person.request('POST', '/v1/session/passkeys', request)).toMatchObject(passkeyRefused);
  });

  it('is not added twice, nor with a challenge of another session or purpose', async () => {
    const { person, authenticator } = await withPasskey();
    const begin = async (who: TestPerson) =>
      (await who.request<NewPasskeyChallenge>('POST', '/v1/session/passkeys/options')).body;
    const again = authenticator.create(await begin(person));
    const theirs = new TestAuthenticator().create(await begin(await newPerson()));
    const { challengeId } = await beginSignIn();
    const mixed = { ...new TestAuthenticator().create(await begin(person)), challengeId };
    for (const wrong of [again, theirs, mixed]) {
      expect(await person.request('POST', '/v1/session/passkeys', wrong)).toMatchObject(passkeyRefused);
    }
  });

  it('can be one of twenty, however many are added at once', async () => {
    const person = await newPerson();
    const begun: NewPasskeyChallenge[] = [];
    for (let i = 0; i < MAX_PASSKEYS + 5; i += 1) {
      begun.push((await person.request<NewPasskeyChallenge>('POST', '/v1/session/passkeys/options')).body);
    }
    const answers = await Promise.all(
      begun.map((each) => person.request('POST', '/v1/session/passkeys', new TestAuthenticator().create(each))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MAX_PASSKEYS);
  });

  it('can be deleted, the last one too where links come by mail', async () => {
    const { person } = await withPasskey();
    const { body } = await person.request<{ items: { passkeyId: string }[] }>('GET', '/v1/session/passkeys');
    expect((await person.request('DELETE', `/v1/session/passkeys/${body.items[0]?.passkeyId}`)).status).toBe(204);
    expect((await person.request('GET', '/v1/session')).body).toMatchObject({ passkeys: 0 });
  });
});

describe('confirming that it is you', () => {
  const begin = async (person: TestPerson) =>
    (await person.request<PasskeyChallenge>('POST', '/v1/session/reauthentication/options')).body;

  it('makes a session fresh for ten minutes, with one’s own passkey alone', async () => {
    const { person, authenticator } = await withPasskey();
    const { authenticator: theirs } = await withPasskey();
    clock.advance(11 * MINUTE_MS);
    const invite = () => person.request('POST', '/v1/users', { email: 'c@example.org', name: 'C', role: 'door' });
    expect(await invite()).toMatchObject({ status: 403, body: { code: 'reauthentication-required' } });
    const path = '/v1/session/reauthentication';
    expect(await person.request('POST', path, theirs.get(await begin(person)))).toMatchObject(passkeyRefused);
    const answer = authenticator.get(await begin(person));
    const confirmed = await person.request<Session>('POST', path, answer);
    expect(confirmed.body).toMatchObject({ csrfToken: person.csrfToken });
    expect(confirmed.body.authenticatedAt).toBe(new Date(clock.now()).toISOString());
    expect((await invite()).status).toBe(201);
    expect(await person.request('POST', path, answer)).toMatchObject(passkeyRefused);
    clock.advance(10 * MINUTE_MS + 1);
    expect(await invite()).toMatchObject({ body: { code: 'reauthentication-required' } });
  });

  it('is not possible without a passkey, nor with a challenge to sign in', async () => {
    const person = await newPerson();
    const answer = await person.request('POST', '/v1/session/reauthentication/options');
    expect(answer).toMatchObject({ status: 409, body: { code: 'no-passkey' } });
    const { person: other, authenticator } = await withPasskey();
    const wrong = authenticator.get(await beginSignIn());
    expect((await other.request('POST', '/v1/session/reauthentication', wrong)).status).toBe(422);
  });
});

describe('a link', () => {
  it('of an invitation works once and for seven days', async () => {
    const request = { email: 'd@example.org', name: 'D', role: 'manager' } as const;
    const { user, invitationUrl } = await api.admin.users.invite(customer.accountId, request);
    expect(invitationUrl).toMatch(/^http:\/\/localhost:0\/dashboard\/invitation#svcl_/);
    clock.advance(INVITATION_MS - 1);
    const token = tokenOf(invitationUrl);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => visit<Session>(api, 'POST', '/v1/sign-in/link', { token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    const again = await visit(api, 'POST', '/v1/sign-in/link', { token });
    expect(again).toMatchObject({ status: 401, body: { code: 'link-invalid' } });
    const late = await api.admin.users.link(customer.accountId, user.userId);
    clock.advance(INVITATION_MS);
    expect((await visit(api, 'POST', '/v1/sign-in/link', { token: tokenOf(late.invitationUrl) })).status).toBe(401);
  });

  it('by mail works once and for fifteen minutes, in the person’s language', async () => {
    const email = `mailed${clock.now()}@example.org`;
    const person = await newPerson({ email: email.toUpperCase(), language: 'de' });
    expect(person.session.user.email).toBe(email);
    expect((await visit(api, 'POST', '/v1/sign-in/mail', { email, language: 'en' })).status).toBe(202);
    const mail = await smtp.mailTo(email);
    expect(mail.headers.subject).toBe('Ihr Link zum Anmelden');
    const url = urlIn(mail.text);
    expect(url).toMatch(/^http:\/\/localhost:0\/dashboard\/invitation#svcl_/);
    const signedIn = await signInWith(api, url);
    expect(signedIn.session).toMatchObject({ way: 'mail', user: { userId: person.userId } });
    expect((await visit(api, 'POST', '/v1/sign-in/link', { token: tokenOf(url) })).status).toBe(401);
    await visit(api, 'POST', '/v1/sign-in/mail', { email });
    const late = urlIn((await smtp.mailTo(email, { count: 2 })).text);
    clock.advance(SIGN_IN_LINK_MS);
    expect((await visit(api, 'POST', '/v1/sign-in/link', { token: tokenOf(late) })).status).toBe(401);
    expect(log.text).not.toContain(email);
    // Not their prefix, which the random id of a request may hold.
    for (const link of [url, late]) expect(log.text).not.toContain(tokenOf(link));
  });

  it('is asked for with the same answer whether the address is known or not, and nothing is sent to a stranger', async () => {
    const known = `known${clock.now()}@example.org`;
    const stranger = `stranger${clock.now()}@example.org`;
    await newPerson({ email: known });
    const answers = await Promise.all(
      [known, stranger].map((email) => visit(api, 'POST', '/v1/sign-in/mail', { email })),
    );
    const seen = answers.map(({ status, body, headers }) => {
      const names = [...headers.keys()].filter((name) => !['date', 'x-request-id'].includes(name));
      return { status, body, names };
    });
    expect(seen[0]).toEqual(seen[1]);
    await smtp.mailTo(known);
    expect(smtp.received.filter(({ to }) => to.includes(stranger))).toEqual([]);
  });

  it('is sent five times at most while none is used, and to nobody who is disabled', async () => {
    const email = `often${clock.now()}@example.org`;
    const person = await newPerson({ email, role: 'door' });
    /** Number of mails once all requests are carried out. */
    async function ask(times: number): Promise<number> {
      for (let i = 0; i < times; i += 1) services.signIn.requestLink(email, null);
      await services.signIn.close();
      return smtp.received.filter(({ to }) => to.includes(email)).length;
    }
    expect(await ask(8)).toBe(5);
    await api.admin.users.setDisabled(customer.accountId, person.userId, true);
    clock.advance(SIGN_IN_LINK_MS);
    expect(await ask(1)).toBe(5);
  });

  it('stops when a newer invitation is made, when its user is disabled, and when it is signed out everywhere', async () => {
    const owner = await newPerson();
    const { user, invitationUrl: first } = await inviteDoor('e@example.org');
    const works = async (url: string | null) =>
      (await visit(api, 'POST', '/v1/sign-in/link', { token: tokenOf(url) })).status;
    const link = async () => (await api.admin.users.link(customer.accountId, user.userId)).invitationUrl;
    const second = await link();
    expect(await works(first)).toBe(401);
    expect(await works(second)).toBe(200);
    const third = await link();
    await owner.request('DELETE', `/v1/users/${user.userId}/sessions`);
    expect(await works(third)).toBe(401);
    const fourth = await link();
    await owner.request('PATCH', `/v1/users/${user.userId}`, { disabled: true });
    expect(await works(fourth)).toBe(401);
  });

  it('signs nobody in for a page elsewhere', async () => {
    const { invitationUrl } = await inviteDoor('f@example.org');
    const token = tokenOf(invitationUrl);
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const answer = await visit(api, 'POST', '/v1/sign-in/link', { token }, headers as Record<string, string>);
      expect(answer).toMatchObject({ status: 403, body: { code: 'foreign-page' } });
    }
    expect((await visit(api, 'POST', '/v1/sign-in/link', { token })).status).toBe(200);
  });
});

it('invitations of an owner come by mail, and the answer has no link', async () => {
  const owner = await newPerson();
  const email = `invited${clock.now()}@example.org`;
  const request = { email, name: 'Zoë\nBcc: x@example.org', role: 'door', language: 'de' };
  const invited = await owner.request<InvitedUser>('POST', '/v1/users', request);
  expect(invited).toMatchObject({ status: 201, body: { invitationUrl: null, state: 'invited' } });
  const mail = await smtp.mailTo(email);
  expect(mail.headers.subject).toBe('Ihre Einladung zum Check-in-Dashboard von Test');
  const person = await signInWith(api, urlIn(mail.text));
  expect(person.userId).toBe(invited.body.userId);
  const { body } = await owner.request<UserResource>('GET', `/v1/users/${person.userId}`);
  expect(body).toMatchObject({ state: 'active', invitedUntil: null });
});

it('a mail that is not taken leaves the link to whoever invites', async () => {
  const owner = await newPerson();
  smtp.refuse('full@example.org', '552 mailbox full full@example.org');
  const request = { email: 'full@example.org', name: 'Full', role: 'door' };
  const invited = await owner.request<InvitedUser>('POST', '/v1/users', request);
  expect((await signInWith(api, invited.body.invitationUrl)).userId).toBe(invited.body.userId);
  expect(log.text).not.toContain('full@example.org');
  expect(log.text).toContain('a mail was not sent');
});

it('one’s own name and language can be changed', async () => {
  const person = await newPerson({ role: 'door' });
  const changed = await person.request('PATCH', '/v1/session/user', { name: 'Robin', language: 'de' });
  expect(changed.body).toMatchObject({ user: { name: 'Robin', language: 'de', role: 'door' } });
});

it('acts of a person are in the audit log with its name, which goes with the user', async () => {
  const owner = await newPerson();
  const person = await newPerson({ role: 'manager', name: 'Robin Example' });
  await person.request('POST', '/v1/lists', { name: 'Members', ongoing: true });
  type Entries = { items: { action: string; actor: { kind: string; userId: string | null; name: string | null } }[] };
  const entryOf = async () =>
    (await owner.request<Entries>('GET', '/v1/audit-log')).body.items.find(({ action }) => action === 'list.create');
  const actor = { kind: 'user', keyId: null, userId: person.userId };
  expect((await entryOf())?.actor).toEqual({ ...actor, name: 'Robin Example' });
  await owner.request('DELETE', `/v1/users/${person.userId}`);
  expect((await entryOf())?.actor).toEqual({ ...actor, name: null });
});

it('the same key of a server and of a person names two requests', async () => {
  const person = await newPerson();
  const key = { 'Idempotency-Key': 'same' };
  const byPerson = await person.request('POST', '/v1/lists', { name: 'A', ongoing: true }, key);
  const byServer = await customer.request('POST', '/v1/lists', { name: 'B', ongoing: true }, { headers: key });
  expect([byPerson.status, byServer.status]).toEqual([201, 201]);
});

it('without mail and the dashboard’s address nothing can be asked for, and is said so', async () => {
  const bare = await startBare({ SVC_WIDGET_URL: 'https://widget.example.org/', SVC_DEMO: 'off' });
  const methods = await visit(bare, 'GET', '/v1/sign-in');
  expect(methods.body).toEqual({ passkey: false, mail: false, oidc: null });
  const unavailable = { status: 409, body: { code: 'sign-in-unavailable' } };
  expect(await visit(bare, 'POST', '/v1/sign-in/mail', { email: 'a@example.org' })).toMatchObject(unavailable);
  expect(await visit(bare, 'POST', '/v1/sign-in/passkey/options')).toMatchObject(unavailable);
  const owner = await bare.customer();
  const request = { email: 'a@example.org', name: 'A', role: 'owner' };
  expect(await owner.request('POST', '/v1/users', request)).toMatchObject(unavailable);
});

it('a passkey that is the only way in cannot be deleted, and an invitation shows its link', async () => {
  const bare = await startBare();
  const { accountId, request } = await bare.customer();
  const asked = { email: 'a@example.org', name: 'A', role: 'owner' };
  const invited = await request<InvitedUser>('POST', '/v1/users', asked);
  const person = await signInWith(bare, invited.body.invitationUrl);
  expect((await visit(bare, 'POST', '/v1/sign-in/mail', { email: 'a@example.org' })).status).toBe(409);
  const first = await addPasskey(bare, person, new TestAuthenticator());
  const refused = await person.request('DELETE', `/v1/session/passkeys/${first}`);
  expect(refused).toMatchObject({ status: 409, body: { code: 'last-passkey' } });
  await addPasskey(bare, person, new TestAuthenticator());
  expect((await person.request('DELETE', `/v1/session/passkeys/${first}`)).status).toBe(204);
  expect(accountId).toBe(person.session.account.accountId);
  expect(person.headers[CSRF_HEADER]).toBe(person.csrfToken);
});
