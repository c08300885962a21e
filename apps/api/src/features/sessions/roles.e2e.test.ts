import {
  apiKeyScopes,
  CSRF_HEADER,
  FRESH_MS,
  HOUR_MS,
  isStream,
  type Operation,
  operations,
  roleScopes,
  userRoles,
} from '@svc/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { createPerson, type TestPerson } from '../../testing/person.ts';
import type { TestCustomer } from '../../testing/test-api.ts';
import { useApi } from '../../testing/use-api.ts';

const { api, clock } = useApi({ customer: null });
/** Nothing of it is ever changed. */
let customer: TestCustomer;
let owner: TestPerson;

beforeAll(async () => {
  customer = await api.customer();
  owner = await createPerson(api, customer.accountId);
});

/** The operation on what does not exist, with a body that cannot be carried out. @returns the answer's code */
async function attempt(
  person: Pick<TestPerson, 'request'>,
  operation: Operation,
  headers: Record<string, string> = {},
  body: object = { nonsense: true },
): Promise<string | undefined> {
  const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
  const sent = ['get', 'delete'].includes(operation.method) ? undefined : body;
  const answer = await person.request<{ code?: string } | null>(operation.method.toUpperCase(), path, sent, headers);
  return answer.body?.code;
}

it.each(userRoles)('a person as %s may do what the role has the scopes for', async (role) => {
  const person = await createPerson(api, customer.accountId, { role });
  // One operation of each: that every operation demands its own scope is asked with API keys.
  for (const scope of apiKeyScopes) {
    const operation = operations.find((each) => each.scope === scope && !isStream(each));
    const code = operation && (await attempt(person, operation));
    expect([scope, code === 'insufficient-scope']).toEqual([scope, !roleScopes[role].includes(scope)]);
    expect(['missing-credential', 'invalid-credential', 'wrong-credential', 'csrf-token-invalid']).not.toContain(code);
  }
});

/** What a person, or the organiser's server, is told with a sign-in of long ago. */
async function attemptLater(ms: number, ...given: Parameters<typeof attempt>): ReturnType<typeof attempt> {
  clock.advance(ms);
  return attempt(...given).finally(() => clock.advance(-ms));
}

const STALE = 'reauthentication-required';
const samples = {
  ...{ endsAt: '2026-07-01T00:00:00Z', checkInUrl: 'https://evil.example/', url: 'https://evil.example/' },
  ...{ enabled: true, eventTypes: ['person.enrolled'], replyTo: 'evil@example.org', texts: [] },
};

// That of a face that would be replaced is asked by its service.
it.each(
  operations.flatMap((each) => (each.fresh && each.fresh !== 'replacing' ? [[each.operationId, each] as const] : [])),
)('%s: not with a sign-in of long ago, and with an API key all the same', async (_id, operation) => {
  const { fresh, method, security } = operation;
  const server = { request: customer.request } as Pick<TestPerson, 'request'>;
  const fields = typeof fresh === 'object' ? fresh : [];
  const others = Object.entries(operation.request?.example ?? {}).filter(([name]) => !fields.includes(name));
  for (const field of fresh === true ? [null] : fields) {
    const body =
      field === null ? undefined : { ...Object.fromEntries(others), [field]: samples[field as keyof typeof samples] };
    expect(await attempt(owner, operation, {}, body)).not.toBe(STALE);
    expect(await attemptLater(FRESH_MS + 1, owner, operation, {}, body)).toBe(STALE);
    if (security === 'apiKey') expect(await attemptLater(FRESH_MS + 1, server, operation, {}, body)).not.toBe(STALE);
    if (field === null) continue;
    expect(await attemptLater(FRESH_MS + 1, owner, operation)).toBe('unknown-parameter');
    const none = { ...body, [field]: field === 'enabled' ? false : null };
    if (method === 'patch') expect(await attemptLater(FRESH_MS + 1, owner, operation, {}, none)).not.toBe(STALE);
  }
});

it.each([
  ['door', HOUR_MS],
  ['manager', FRESH_MS],
] as const)('a person as %s adds devices for %i ms after a sign-in', async (role, ms) => {
  const person = await createPerson(api, customer.accountId, { role });
  const add = operations.find(({ operationId }) => operationId === 'addDevice') as Operation;
  const codes = [await attemptLater(ms, person, add), await attemptLater(ms + 1, person, add)];
  expect(codes).toEqual(['unknown-parameter', STALE]);
});

it('a manager has all but keys and changes of users and the account, a door little, an auditor what reads', () => {
  const lacking = apiKeyScopes.filter((scope) => !roleScopes.manager.includes(scope));
  expect(lacking).toEqual(['account:write', 'keys:read', 'keys:write', 'users:write']);
  expect(roleScopes.door).toEqual(['events:read', 'lists:read', 'devices:read', 'devices:write']);
  expect(roleScopes.auditor.every((scope) => scope.endsWith(':read'))).toBe(true);
  expect(roleScopes.owner).toEqual(apiKeyScopes);
});

describe('a change in the name of a person', () => {
  const changes = operations.filter(
    ({ security, method }) => ['apiKey', 'session'].includes(security) && method !== 'get',
  );

  it('needs the session’s CSRF token, whichever it is', async () => {
    for (const operation of changes) {
      const code = await attempt(owner, operation, { [CSRF_HEADER]: '' });
      expect([operation.operationId, code]).toEqual([operation.operationId, 'csrf-token-invalid']);
    }
  });

  it.each(['createList', 'updateOwnUser'])('%s needs its own token and the dashboard’s own pages', async (id) => {
    const operation = changes.find(({ operationId }) => operationId === id) as Operation;
    const own = new URL(api.config.dashboardUrl ?? '').origin;
    const other = await createPerson(api, customer.accountId);
    const codes = await Promise.all(
      [
        { [CSRF_HEADER]: other.csrfToken },
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { Origin: own, 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { Origin: own, 'Sec-Fetch-Site': 'same-origin' },
      ].map((headers) => attempt(owner, operation, headers as Record<string, string>)),
    );
    expect(codes).toEqual(['csrf-token-invalid', ...Array(4).fill('foreign-page'), 'unknown-parameter']);
  });

  it('is read without: a page elsewhere learns nothing, as no answer allows it to', async () => {
    const headers = { [CSRF_HEADER]: '', Origin: 'https://evil.example' };
    const answer = await owner.request('GET', '/v1/lists', undefined, headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('with an API key too, the key counts: its rights, and no CSRF token', async () => {
    const { apiKey } = await api.admin.keys.create(customer.accountId, 'reader', { scopes: ['lists:read'] });
    const both = { 'X-Api-Key': apiKey, [CSRF_HEADER]: '', Origin: 'https://evil.example' };
    expect((await owner.request('GET', '/v1/lists', undefined, both)).status).toBe(200);
    const refused = await owner.request('POST', '/v1/events', {}, both);
    expect(refused.body).toMatchObject({ code: 'insufficient-scope' });
    const wrong = { ...both, 'X-Api-Key': 'letmein' };
    expect((await owner.request('GET', '/v1/lists', undefined, wrong)).status).toBe(401);
  });
});
