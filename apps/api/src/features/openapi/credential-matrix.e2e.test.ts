import { randomBytes } from 'node:crypto';
import { parseEnvelope } from '@svc/core/pack';
import {
  type ErrorCode,
  EVENT_STREAM_MEDIA_TYPE,
  errorTable,
  formatSecret,
  HOUR_MS,
  isErrorCode,
  isKeyed,
  type Operation,
  operations,
  type PasskeyChallenge,
  pathNames,
  resourceNames,
  SESSION_COOKIE,
  syncManifestSchema,
} from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { signingSource } from '../../crypto/signing-key.ts';
import { TestAuthenticator } from '../../testing/authenticator.ts';
import { base64, enrolBody } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { type FakeSmtp, startFakeSmtp } from '../../testing/fake-smtp.ts';
import { signInWith, tokenOf, visit } from '../../testing/person.ts';
import { createTenant, credentialOf, setSuspended, type Tenant, targetOf } from '../../testing/tenant.ts';
import { createManualClock, startTestApi, type TestApi } from '../../testing/test-api.ts';
import { arrivalsKeyOf, signedArrivals } from '../../testing/test-device.ts';
import { payloadLink } from '../sync/payload-link.ts';

type Kind = Exclude<Operation['security'], 'none'>;
type Headers = Readonly<Record<string, string>>;
/** What a request is refused with: a problem's code, or `wipe:…` for a signed wipe. */
type Outcome = ErrorCode | `wipe:${string}`;

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
/** Operations after which the next one would lack something. */
const ENDS = /^(delete|erase|remove|revoke|close|end|cancel|decline|enrolGuest|signOut|updateWebhook)/;
/** The tenant for all others. */
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

const same = (outcome: Outcome): Readonly<Record<Kind, Outcome>> => ({
  ...{ apiKey: outcome, session: outcome, guestToken: outcome, deviceToken: outcome },
});

/** Credentials that do not work, and what they are refused with by the operation's kind of caller. */
const wrong: Readonly<Record<string, Readonly<Record<Kind, Outcome>> & { of(kind: Kind): Headers }>> = {
  'a mistyped credential': {
    of: (kind) => {
      const mistyped = (text: string) => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');
      if (kind === 'apiKey') return apiKey(mistyped(victim.customer.apiKey));
      if (kind === 'session') return cookie(mistyped(victim.person.secret));
      return bearer(mistyped(kind === 'guestToken' ? victim.guestToken : victim.deviceToken));
    },
    ...same('invalid-credential'),
  },
  'no credential of ours at all': {
    of(kind) {
      if (kind === 'session') return cookie('letmein');
      return kind === 'apiKey' ? apiKey('letmein') : bearer('letmein');
    },
    ...same('invalid-credential'),
  },
  'a well-formed credential of nobody': {
    of: (kind) => {
      if (kind === 'apiKey') return apiKey(ofNobody('svck'));
      if (kind === 'session') return cookie(ofNobody('svcs'));
      return { ...bearer(ofNobody(kind === 'guestToken' ? 'svce' : 'svcd')), ...victim.deviceHeaders };
    },
    ...same('invalid-credential'),
  },
  'an API key where a token belongs': { of: () => bearer(victim.customer.apiKey), ...same('wrong-credential') },
  'a guest’s token where an API key belongs': { of: () => apiKey(victim.guestToken), ...same('wrong-credential') },
  'a device’s token where an API key belongs': { of: () => apiKey(victim.deviceToken), ...same('wrong-credential') },
  'another kind of credential, in its own header': {
    of: (kind) => (kind === 'apiKey' ? bearer(victim.deviceToken) : apiKey(victim.customer.apiKey)),
    ...same('wrong-credential'),
  },
  'a third kind of credential, in its own header': {
    of: (kind) => bearer(kind === 'guestToken' ? victim.deviceToken : victim.guestToken),
    ...same('wrong-credential'),
  },
  'a revoked credential': {
    of: (kind) => credentialOf(revoked, kind, revokedKey),
    ...same('invalid-credential'),
    deviceToken: 'wipe:device-revoked',
  },
  'an expired credential': {
    // API keys do not expire.
    of: (kind) => (kind === 'apiKey' ? apiKey(ofNobody('svck')) : credentialOf(expired, kind)),
    ...same('invalid-credential'),
    guestToken: 'token-expired',
    deviceToken: 'wipe:retention-deadline',
  },
  'the credential of a deleted list': {
    of(kind) {
      if (kind === 'session') return cookie(ofNobody('svcs'));
      return kind === 'apiKey' ? apiKey(ofNobody('svck')) : credentialOf(deleted, kind);
    },
    ...same('invalid-credential'),
    deviceToken: 'wipe:list-deleted',
  },
  'a suspended account’s credential': {
    of: (kind) => credentialOf(suspended, kind),
    ...same('account-suspended'),
    deviceToken: 'wipe:account-suspended',
  },
};

async function newEvent() {
  const at = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();
  return { name: 'Concert', startsAt: at(1), endsAt: at(5) };
}

/** Bodies that need the tenant's identifiers instead of an example. */
const bodies: Readonly<Record<string, (tenant: Tenant) => Promise<object>>> = {
  enrolPerson: async () => enrolBody(clock, { personId: 'somebody' }),
  putPerson: async () => ({ ...enrolBody(clock), personId: undefined }),
  enrolPeople: async () => ({ people: [enrolBody(clock, { personId: 'one of many' })] }),
  erasePeople: async ({ parameters }) => ({ personIds: [parameters.personId] }),
  createEvent: newEvent,
  copyEvent: newEvent,
  updateEvent: async () => ({ name: 'Another name' }),
  reportArrivals: async ({ customer, device, parameters: { listId = '' } }) => {
    await customer.request('PATCH', `/v1/lists/${listId}`, { arrivals: 'counts' });
    return signedArrivals(await arrivalsKeyOf(api, device), { listId, sequence: 1, buckets: [] });
  },
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

/** Tenants for operations that reject one with all resources, or do nothing to it. */
const targets: Readonly<Record<string, (tenant: Tenant) => Promise<Tenant>>> = {
  // Signed here, as devices of so short a list get its people inline.
  getPayload: async (tenant) => {
    const headers = credentialOf(tenant, 'deviceToken');
    const answer = await fetch(`${api.url}/v1/device/sync`, { headers });
    const { manifest } = parseEnvelope(new Uint8Array(await answer.arrayBuffer()));
    const { payloadSha256, toVersion: to } = syncManifestSchema.parse(JSON.parse(Buffer.from(manifest).toString()));
    const [key] = await signingSource(api.config).read();
    if (key === undefined) throw new Error('the deployment has no signing key');
    const { account = '', list = '' } = tenant.parameters;
    const link = payloadLink(key, { account, list, from: 0, to, payloadSha256 }, clock.now());
    const signed = Object.fromEntries(new URL(link, api.url).searchParams);
    return { ...tenant, parameters: { ...tenant.parameters, payloadSha256, ...signed } };
  },
  pullWebhookEvents: async (tenant) => {
    const asked = { url: 'http://localhost/', delivery: 'pull' };
    const { body } = await tenant.customer.request<{ webhookId: string }>('POST', '/v1/webhooks', asked);
    return { ...tenant, parameters: { ...tenant.parameters, webhookId: body.webhookId } };
  },
  undoEndList: async (tenant) => {
    await tenant.customer.request('POST', `/v1/lists/${tenant.parameters.listId}/end`);
    return tenant;
  },
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
  const more = query && `${path.includes('?') ? '&' : '?'}${query}`;
  const response = await fetch(api.url + path + more, {
    redirect: 'manual',
    method: operation.method.toUpperCase(),
    headers: { ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
  const bytes = await bytesOf(response);
  const location = response.headers.get('location');
  return { status: response.status, bytes, text: bytes.toString(), location };
}

/** Everything that a tenant's key can read, except when its devices were last seen and its own requests. */
async function readAll(tenant: Tenant): Promise<string> {
  const all = operations.filter(({ method, security }) => method === 'get' && security === 'apiKey');
  const readable = all.filter(({ path }) => !/deliveries|audit/.test(path));
  const headers = apiKey(tenant.customer.apiKey);
  const answers = await Promise.all(readable.map((operation) => call(operation, tenant, headers)));
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
  const make = () => createTenant(api, clock.now());
  [victim, other, suspended] = await Promise.all([make(), make(), make()]);
  [revoked, deleted, strict] = await Promise.all([make(), make(), make()]);
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

function expectOutcome(outcome: Outcome, answer: Awaited<ReturnType<typeof call>>): void {
  expect(answer.text).not.toContain(victim.canary);
  expect(answer.text).not.toContain(victim.parameters.listId);
  if (isErrorCode(outcome)) {
    const problem = JSON.parse(answer.text) as { code: string };
    expect([answer.status, problem.code]).toEqual([errorTable[outcome].status, outcome]);
    return;
  }
  expect(answer.status).toBe(200);
  const { manifest, payload } = parseEnvelope(answer.bytes);
  const { command, reason, epochs } = syncManifestSchema.parse(JSON.parse(Buffer.from(manifest).toString()));
  expect([`${command}:${reason}`, epochs.length, payload.length]).toEqual([outcome, 0, 0]);
}

/** All operations of one kind of caller have one guard. */
describe.each([
  ['apiKey', 'getPerson'],
  ['session', 'getSession'],
  ['guestToken', 'getWidgetSession'],
  ['deviceToken', 'syncDevice'],
] as const)('an operation for %s: %s', (kind, operationId) => {
  it.each(Object.entries(wrong))('is refused to %s', async (_name, column) => {
    const operation = operations.find((one) => one.operationId === operationId) as Operation;
    expectOutcome(column[kind], await call(operation, victim, column.of(kind)));
  });
});

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (_id, operation) => {
  const { security } = operation;

  it.skipIf(security === 'none')('no credential, and another tenant’s', async () => {
    expectOutcome('missing-credential', await call(operation, victim, {}));
    // A session of its own for each operation, as one of them ends it.
    const theirs = security === 'session' ? (await signInAgain(other)).headers : credentialOf(other, security);
    const answer = await call(operation, victim, theirs);
    if (namesSomething(operation)) expectOutcome('not-found', answer);
    else expect(answer.text).not.toContain(victim.canary);
  });

  const isMissed = (name: string) => name !== 'consentVersion' && !(name === 'personId' && operation.method === 'put');
  it.each(pathNames(operation.path).filter(isMissed))('no such %s, or another tenant’s', async (name) => {
    const askedFor = async (value: string | undefined) => {
      const parameters = { ...strict.parameters, [name]: value ?? '' };
      return call(operation, { ...strict, parameters }, credentialOf(strict, security));
    };
    const [theirs, absent] = await Promise.all([askedFor(victim.parameters[name]), askedFor(`${name}-of-nobody`)]);
    const told = { status: 404, code: 'not-found', detail: `No such ${resourceNames[name]}.` };
    for (const { text } of [theirs, absent]) {
      const { requestId: _, ...problem } = JSON.parse(text) as { requestId: string };
      expect(problem).toEqual({ type: '/docs/errors#not-found', title: 'No such resource', ...told });
    }
  });

  it('a parameter and a member that it does not know', async () => {
    const send = async (body: object | undefined, query: string) =>
      JSON.parse((await call(operation, strict, credentialOf(strict, security), body, query)).text) as object;
    const unknown = { status: 400, code: 'unknown-parameter' };
    const errors = [{ parameter: 'retaindays', detail: 'is not known' }];
    expect(await send(undefined, 'retaindays=1')).toMatchObject({ ...unknown, errors });
    if (['get', 'delete'].includes(operation.method)) return;
    const body = { ...(operation.request?.example as object | undefined), retaindays: 1 };
    const pointed = [{ pointer: '/retaindays', detail: 'is not known' }];
    expect(await send(body, '')).toMatchObject({ ...unknown, errors: pointed });
  });

  // Signed by a device; tested by itself.
  it.skipIf(operation.operationId === 'exchangeAdmissions')('the right credential, and a repeat', async () => {
    shared ??= await createTenant(api, clock.now());
    const made = ENDS.test(operation.operationId) ? await createTenant(api, clock.now()) : shared;
    const tenant = (await targets[operation.operationId]?.(made)) ?? made;
    const body = await { ...bodies, ...bodiesOfPeople }[operation.operationId]?.(tenant);
    const headers = {
      ...credentialOf(tenant, security),
      ...(isKeyed(operation) ? { 'Idempotency-Key': operation.operationId } : {}),
    };
    const acts = await actsOf(tenant);
    const answer = await call(operation, tenant, headers, body);
    expect([operation.success.status, answer.text]).toEqual([answer.status, answer.text]);
    if (operation.success.headers?.Location !== undefined && operation.method === 'post') {
      expect((await fetch(api.url + answer.location, { headers: credentialOf(tenant, security) })).status).toBe(200);
    }
    if (isKeyed(operation)) {
      const again = await call(operation, tenant, headers, body);
      if (again.status === 409) expect(JSON.parse(again.text)).toMatchObject({ code: 'secret-already-issued' });
      else expect([again.status, again.text]).toEqual([answer.status, answer.text]);
    }
    const added = [...(await actsOf(tenant))].filter(([id]) => !acts.has(id)).map(([, action]) => action);
    // The example names the list's present model; the copied event has a list; nothing that was fetched is pending.
    const others: Readonly<Record<string, readonly string[]>> = {
      ...{ changeModel: [], pullWebhookEvents: [] },
      copyEvent: ['event.create', 'list.create'],
    };
    expect(added.sort()).toEqual(others[operation.operationId] ?? [operation.audit ?? []].flat());
    if (operation.operationId === 'syncDevice') {
      const manifest: unknown = JSON.parse(Buffer.from(parseEnvelope(answer.bytes).manifest).toString());
      expect(manifest).toMatchObject({ command: 'keep', listId: tenant.parameters.listId });
    }
  });
});

/** What goes on with a list that has ended, as its devices verify until its deadline, and is not undone by its end. */
const AFTER_THE_END = /^(update|copy|set|replace|createWidgetPreview|cancel|close|end|rotate|erase|lookUp)/;

it.each(['ended', 'past its deadline'])('a list that is %s takes nothing new', async (state) => {
  const tenant = state === 'ended' ? await createTenant(api, clock.now()) : expired;
  const headers = apiKey(tenant.customer.apiKey);
  await tenant.customer.request('POST', `/v1/lists/${tenant.parameters.listId}/end`);
  const changes = operations.filter(
    ({ method, path }) => method.startsWith('p') && /\{(list|event)Id\}/.test(path) && !path.endsWith('/undo'),
  );
  for (const operation of changes) {
    const { operationId, success } = operation;
    const { status, text } = await call(operation, tenant, headers, await bodies[operationId]?.(tenant));
    const { code } = JSON.parse(text) as { code?: string };
    // Whose time is over with the list's.
    if (operationId === 'updatePerson' && state !== 'ended') continue;
    const expected = AFTER_THE_END.test(operationId) ? [success.status, undefined] : [409, 'list-ended'];
    expect([operationId, status, code]).toEqual([operationId, ...expected]);
  }
});

it('nothing that was refused has changed anything', async () => {
  expect(await readAll(victim)).toBe(before);
  expect(await readAll(strict)).toBe(strictBefore);
});
