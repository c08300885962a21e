import { randomBytes } from 'node:crypto';
import { parseEnvelope } from '@svc/core/pack';
import {
  type ErrorCode,
  EVENT_STREAM_MEDIA_TYPE,
  errorTable,
  formatSecret,
  HOUR_MS,
  isErrorCode,
  type Operation,
  operations,
  type PasskeyChallenge,
  SESSION_COOKIE,
  syncManifestSchema,
} from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { TestAuthenticator } from '../../testing/authenticator.ts';
import { base64, enrolBody } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { type FakeSmtp, startFakeSmtp } from '../../testing/fake-smtp.ts';
import { signInWith, tokenOf, visit } from '../../testing/person.ts';
import { createTenant, credentialOf, setSuspended, type Tenant, targetOf } from '../../testing/tenant.ts';
import { createManualClock, startTestApi, type TestApi } from '../../testing/test-api.ts';

type Security = Operation['security'];
type Headers = Readonly<Record<string, string>>;
/**
 * Result of a request: a problem's code, `wipe:…` for a signed wipe, `theirs` for data of the credential's own tenant,
 * `success`.
 */
type Outcome = ErrorCode | `wipe:${string}` | 'theirs' | 'success' | 'none';
type Column = { readonly headers: () => Headers } & Readonly<Record<Security, Outcome | ((o: Operation) => Outcome)>>;

const clock = createManualClock();
let api: TestApi;
let smtp: FakeSmtp;
/** The tenant whose resources are requested; it must be unchanged at the end. */
let victim: Tenant;
let other: Tenant;
let expired: Tenant;
let suspended: Tenant;
let revoked: Tenant;
let deleted: Tenant;
let revokedKey: string;
/** The tenant for operations that change nothing. */
let shared: Tenant | undefined;
let before: string;
/** Sends what operations do not know. */
let strict: Tenant;
let strictBefore: string;

const apiKey = (key: string): Headers => ({ 'X-Api-Key': key });
const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });
const cookie = (secret: string): Headers => ({ Cookie: `${SESSION_COOKIE}=${secret}` });
const ofNobody = (prefix: 'svck' | 'svce' | 'svcd' | 'svcs') => formatSecret(prefix, randomBytes(32));
/** Whether the path names a tenant's resource; wordings belong to none. */
const namesSomething = ({ path }: Operation) => /\{(?!consentVersion\})/.test(path);

const same = (outcome: Outcome): Readonly<Record<Security, Outcome>> => ({
  apiKey: outcome,
  session: outcome,
  guestToken: outcome,
  deviceToken: outcome,
  none: 'success',
});

/**
 * Credential → expected result by the operation's security. `of` selects the credential by the operation's own kind.
 */
const columns: Readonly<
  Record<string, Omit<Column, 'headers'> & { of(security: Security): Headers | Promise<Headers> }>
> = {
  'no credential': { of: () => ({}), ...same('missing-credential') },
  'a mistyped credential': {
    of: (security) => {
      const wrong = (text: string) => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');
      if (security === 'apiKey') return apiKey(wrong(victim.customer.apiKey));
      if (security === 'session') return cookie(wrong(victim.person.secret));
      return bearer(wrong(security === 'guestToken' ? victim.guestToken : victim.deviceToken));
    },
    ...same('invalid-credential'),
  },
  'no credential of ours at all': {
    of(security) {
      if (security === 'session') return cookie('letmein');
      return security === 'apiKey' ? apiKey('letmein') : bearer('letmein');
    },
    ...same('invalid-credential'),
  },
  'a well-formed credential of nobody': {
    of: (security) => {
      if (security === 'apiKey') return apiKey(ofNobody('svck'));
      if (security === 'session') return cookie(ofNobody('svcs'));
      return { ...bearer(ofNobody(security === 'guestToken' ? 'svce' : 'svcd')), ...victim.deviceHeaders };
    },
    ...same('invalid-credential'),
  },
  'an API key where a token belongs': {
    of: () => bearer(victim.customer.apiKey),
    ...same('wrong-credential'),
  },
  'a guest’s token where an API key belongs': {
    of: () => apiKey(victim.guestToken),
    ...same('wrong-credential'),
  },
  'a device’s token where an API key belongs': {
    of: () => apiKey(victim.deviceToken),
    ...same('wrong-credential'),
  },
  'another kind of credential, in its own header': {
    of: (security) => (security === 'apiKey' ? bearer(victim.deviceToken) : apiKey(victim.customer.apiKey)),
    ...same('wrong-credential'),
  },
  'a third kind of credential, in its own header': {
    of: (security) => bearer(security === 'guestToken' ? victim.deviceToken : victim.guestToken),
    ...same('wrong-credential'),
  },
  'another tenant’s credential': {
    // A session of its own for each operation, as one of them ends it.
    of: async (security) =>
      security === 'session' ? (await signInAgain(other)).headers : credentialOf(other, security),
    apiKey: (operation) => (namesSomething(operation) ? 'not-found' : 'theirs'),
    session: (operation) => (namesSomething(operation) ? 'not-found' : 'theirs'),
    guestToken: 'theirs',
    deviceToken: 'theirs',
    none: 'success',
  },
  'a revoked credential': {
    of: (security) => credentialOf(revoked, security, revokedKey),
    apiKey: 'invalid-credential',
    session: 'invalid-credential',
    guestToken: 'invalid-credential',
    deviceToken: 'wipe:device-revoked',
    none: 'success',
  },
  'an expired credential': {
    // API keys do not expire.
    of: (security) => (security === 'apiKey' ? apiKey(ofNobody('svck')) : credentialOf(expired, security)),
    apiKey: 'invalid-credential',
    session: 'invalid-credential',
    guestToken: 'token-expired',
    deviceToken: 'wipe:retention-deadline',
    none: 'success',
  },
  'the credential of a deleted list': {
    of(security) {
      if (security === 'session') return cookie(ofNobody('svcs'));
      return security === 'apiKey' ? apiKey(ofNobody('svck')) : credentialOf(deleted, security);
    },
    apiKey: 'invalid-credential',
    session: 'invalid-credential',
    guestToken: 'invalid-credential',
    deviceToken: 'wipe:list-deleted',
    none: 'success',
  },
  'a suspended account’s credential': {
    of: (security) => credentialOf(suspended, security),
    apiKey: 'account-suspended',
    session: 'account-suspended',
    guestToken: 'account-suspended',
    deviceToken: 'wipe:account-suspended',
    none: 'success',
  },
};

/** Bodies that need the tenant's identifiers instead of an example. */
const bodies: Readonly<Record<string, (tenant: Tenant) => Promise<object>>> = {
  enrolPerson: async () => enrolBody(clock, { personId: 'somebody' }),
  createEvent: async () => {
    const at = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();
    return { name: 'Concert', startsAt: at(1), endsAt: at(5) };
  },
  updateEvent: async () => ({ name: 'Another name' }),
  enrolGuest: async (tenant) => {
    const response = await fetch(`${api.url}/v1/widget/session`, { headers: bearer(tenant.guestToken) });
    const { language, wordingSha256 } = (await response.json()) as Record<string, string>;
    const consent = { consentVersion: 'eu-v2', explicitBiometricConsent: true, writtenRelease: true };
    return { consent, language, wordingSha256, imageBase64: base64('a face') };
  },
};

const linkOf = async ({ customer, person }: Tenant) =>
  (await api.admin.users.link(customer.accountId, person.userId)).invitationUrl;
const signInAgain = async (tenant: Tenant) => signInWith(api, await linkOf(tenant));
const emailOf = ({ person }: Tenant) => person.session.user.email;
const begun = async <T>(tenant: Tenant, path: string) => (await tenant.person.request<T>('POST', path)).body;

/** Bodies of what a person does to sign in and with its session. */
const bodiesOfPeople: typeof bodies = {
  signInWithPasskey: async ({ authenticator }) =>
    authenticator.get((await visit<PasskeyChallenge>(api, 'POST', '/v1/sign-in/passkey/options')).body),
  requestSignInLink: async (tenant) => ({ email: emailOf(tenant) }),
  signInWithLink: async (tenant) => ({ token: tokenOf(await linkOf(tenant)) }),
  reauthenticate: async (tenant) =>
    tenant.authenticator.get(await begun(tenant, '/v1/session/reauthentication/options')),
  addPasskey: async (tenant) => new TestAuthenticator().create(await begun(tenant, '/v1/session/passkeys/options')),
  inviteUser: async () => ({ email: 'new@example.org', name: 'New', role: 'door' }),
};

/** Tenants for operations that reject one with all resources. */
const targets: Readonly<Record<string, (tenant: Tenant) => Promise<Tenant>>> = {
  deleteEvent: async (tenant) => {
    const body = await bodies.createEvent?.(tenant);
    const created = await tenant.customer.request<{ eventId: string }>('POST', '/v1/events', body);
    return { ...tenant, parameters: { ...tenant.parameters, eventId: created.body.eventId } };
  },
};

/** The whole body, or of a stream the beginning. */
async function bytesOf(response: Response): Promise<Buffer> {
  if (response.headers.get('content-type')?.startsWith(EVENT_STREAM_MEDIA_TYPE) !== true)
    return Buffer.from(await response.arrayBuffer());
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  // Its first event, which may come in pieces.
  while (!/^data:.*\n\n/m.test(Buffer.concat(chunks).toString())) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) break;
    chunks.push(value);
  }
  await reader?.cancel();
  return Buffer.concat(chunks);
}

async function call(operation: Operation, target: Tenant, headers: Headers, body?: object, query = '') {
  const sent = body ?? operation.request?.example;
  const path = targetOf(operation, target);
  const response = await fetch(`${api.url}${path}${path.includes('?') ? '&' : '?'}${query}`, {
    redirect: 'manual',
    method: operation.method.toUpperCase(),
    headers: { ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
  const bytes = await bytesOf(response);
  return { status: response.status, bytes, text: bytes.toString() };
}

/** Everything that a tenant's key can read, except when its devices were last seen and its own requests. */
async function readAll(tenant: Tenant): Promise<string> {
  const readable = operations.filter(
    (o) => o.method === 'get' && o.security === 'apiKey' && !/deliveries|audit/.test(o.path),
  );
  const answers = await Promise.all(
    readable.map((operation) => call(operation, tenant, apiKey(tenant.customer.apiKey))),
  );
  return answers.map(({ status, text }, i) => `${readable[i]?.operationId} ${status} ${text}`).join('\n');
}

/** The tenant's audit log: entry id → action. */
async function actsOf({ customer }: Tenant): Promise<Map<string, string>> {
  const answer = await customer.request<{ items: { id: string; action: string }[] }>('GET', '/v1/audit-log?limit=200');
  return new Map(answer.body.items.map(({ id, action }) => [id, action]));
}

beforeAll(async () => {
  smtp = await startFakeSmtp();
  const mail = { SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: 'no-reply@example.org' };
  api = await startTestApi(inject('postgres'), { createInference: createFakeInference, clock }, mail);
  expired = await createTenant(api, clock.now());
  clock.advance(31 * HOUR_MS);
  [victim, other, suspended, revoked, deleted, strict] = await Promise.all([
    createTenant(api, clock.now()),
    createTenant(api, clock.now()),
    createTenant(api, clock.now()),
    createTenant(api, clock.now()),
    createTenant(api, clock.now()),
    createTenant(api, clock.now()),
  ]);
  const key = await api.admin.keys.create(revoked.customer.accountId, 'revoked');
  revokedKey = key.apiKey;
  await api.admin.keys.revoke(revoked.customer.accountId, key.keyId);
  const { userId } = revoked.person;
  expect((await revoked.customer.request('DELETE', `/v1/users/${userId}/sessions`)).status).toBe(204);
  for (const operationId of ['revokeDevice', 'revokeEnrolmentToken']) {
    const operation = operations.find((o) => o.operationId === operationId);
    if (operation) expect((await call(operation, revoked, apiKey(revoked.customer.apiKey))).status).toBe(204);
  }
  const deletion = await deleted.customer.request('DELETE', `/v1/lists/${deleted.parameters.listId}`);
  expect(deletion.status).toBe(204);
  await setSuspended(api, suspended.customer.accountId, true);
  before = await readAll(victim);
  strictBefore = await readAll(strict);
});
afterAll(async () => {
  await api.close();
  await smtp.close();
});

function expectOutcome(outcome: Outcome, operation: Operation, answer: Awaited<ReturnType<typeof call>>): void {
  if (outcome === 'theirs' || outcome === 'success') return;
  if (isErrorCode(outcome)) {
    const problem = JSON.parse(answer.text) as { code: string };
    expect([answer.status, problem.code]).toEqual([errorTable[outcome].status, outcome]);
    return;
  }
  expect([operation.operationId, answer.status]).toEqual(['syncDevice', 200]);
  const { manifest, payload } = parseEnvelope(answer.bytes);
  const { command, reason, epochs } = syncManifestSchema.parse(JSON.parse(Buffer.from(manifest).toString()));
  expect([`${command}:${reason}`, epochs.length, payload.length]).toEqual([outcome, 0, 0]);
}

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (_id, operation) => {
  it.each(Object.keys(columns))('%s', async (name) => {
    const column = columns[name];
    if (column === undefined) throw new Error('no such column');
    const expected = column[operation.security];
    const answer = await call(operation, victim, await column.of(operation.security));
    expect(answer.text).not.toContain(victim.canary);
    expect(answer.text).not.toContain(victim.parameters.listId);
    expectOutcome(typeof expected === 'function' ? expected(operation) : expected, operation, answer);
  });

  it('a parameter that it does not know', async () => {
    const { text } = await call(operation, strict, credentialOf(strict, operation.security), undefined, 'retaindays=1');
    const errors = [{ parameter: 'retaindays', detail: 'is not known' }];
    expect(JSON.parse(text)).toMatchObject({ status: 400, code: 'unknown-parameter', errors });
  });

  it.skipIf(['get', 'delete'].includes(operation.method))('a member that it does not know', async () => {
    const body = { ...(operation.request?.example as object | undefined), retaindays: 1 };
    const { text } = await call(operation, strict, credentialOf(strict, operation.security), body);
    const errors = [{ pointer: '/retaindays', detail: 'is not known' }];
    expect(JSON.parse(text)).toMatchObject({ status: 400, code: 'unknown-parameter', errors });
  });

  it('the right credential', async () => {
    // Reading, adding and changing leave everything that the next operation needs.
    const isHarmless = ['get', 'put', 'patch'].includes(operation.method) || operation.success.status === 201;
    shared ??= await createTenant(api, clock.now());
    const made = isHarmless ? shared : await createTenant(api, clock.now());
    const tenant = (await targets[operation.operationId]?.(made)) ?? made;
    const body = await { ...bodies, ...bodiesOfPeople }[operation.operationId]?.(tenant);
    const acts = await actsOf(tenant);
    const answer = await call(operation, tenant, credentialOf(tenant, operation.security), body);
    const added = [...(await actsOf(tenant))].filter(([id]) => !acts.has(id)).map(([, action]) => action);
    // The example names the list's present model.
    expect(added).toEqual(operation.operationId === 'changeModel' ? [] : [operation.audit ?? []].flat());
    expect([operation.success.status, answer.text]).toEqual([answer.status, answer.text]);
    if (operation.security === 'deviceToken') {
      const manifest: unknown = JSON.parse(Buffer.from(parseEnvelope(answer.bytes).manifest).toString());
      expect(manifest).toMatchObject({ command: 'keep', listId: tenant.parameters.listId });
    }
  });
});

it('nothing that was refused has changed anything', async () => {
  expect(await readAll(victim)).toBe(before);
  expect(await readAll(strict)).toBe(strictBefore);
});
