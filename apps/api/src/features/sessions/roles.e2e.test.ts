import {
  apiKeyScopes,
  CSRF_HEADER,
  FRESH_MS,
  type Operation,
  operations,
  roleScopes,
  type UserRole,
  userRoles,
} from '@svc/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { createPerson, type TestPerson } from '../../testing/person.ts';
import { createTenant, type Tenant } from '../../testing/tenant.ts';
import { useApi } from '../../testing/use-api.ts';

const { api, clock } = useApi({ customer: null });
const organiserOperations = operations.filter(({ security }) => security === 'apiKey');
const isStream = ({ success }: Operation) => success.mediaType === 'text/event-stream';
/** Nothing of it is ever changed. */
let tenant: Tenant;
let others: Tenant;
let people: Readonly<Record<UserRole, TestPerson>>;

beforeAll(async () => {
  [tenant, others] = await Promise.all([createTenant(api, clock.now()), createTenant(api, clock.now())]);
  const { accountId } = tenant.customer;
  const made = await Promise.all(
    userRoles.map(async (role) => [role, await createPerson(api, accountId, { role })] as const),
  );
  people = Object.fromEntries(made) as Record<UserRole, TestPerson>;
});

/** The operation on what does not exist, with a body that cannot be carried out. */
async function attempt(person: TestPerson, operation: Operation, target?: string) {
  const path = target ?? operation.path.replaceAll(/\{\w+\}/g, 'none');
  const body = ['get', 'delete'].includes(operation.method) ? undefined : { nonsense: true };
  if (isStream(operation)) {
    const controller = new AbortController();
    const response = await fetch(api.url + path, { headers: person.headers, signal: controller.signal });
    const { status } = response;
    const text = status === 200 ? '' : await response.text();
    controller.abort();
    return { status, code: text === '' ? undefined : (JSON.parse(text) as { code: string }).code };
  }
  const answer = await person.request(operation.method.toUpperCase(), path, body);
  return { status: answer.status, code: answer.body?.code };
}

describe.each(userRoles)('%s', (role) => {
  it.each(organiserOperations.map((operation) => [operation.operationId, operation] as const))(
    '%s: allowed exactly where the role has the scope',
    async (_id, operation) => {
      const { scope } = operation;
      expect(scope).toBeDefined();
      const isAllowed = scope !== undefined && roleScopes[role].includes(scope);
      const { code } = await attempt(people[role], operation);
      expect(code === 'insufficient-scope').toBe(!isAllowed);
      expect(['missing-credential', 'invalid-credential', 'wrong-credential', 'csrf-token-invalid']).not.toContain(
        code,
      );
    },
  );
});

it.each(operations.filter(({ fresh }) => fresh).map((operation) => [operation.operationId, operation] as const))(
  '%s: not with a sign-in of long ago, and with an API key all the same',
  async (_id, operation) => {
    const { code } = await attempt(people.owner, operation);
    expect(code).not.toBe('reauthentication-required');
    clock.advance(FRESH_MS + 1);
    expect(await attempt(people.owner, operation)).toEqual({ status: 403, code: 'reauthentication-required' });
    if (operation.security === 'apiKey') {
      const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
      const headers = { 'Content-Type': 'application/json' };
      const body = operation.method === 'delete' ? undefined : { nonsense: true };
      const byKey = await tenant.customer.request(operation.method.toUpperCase(), path, body, { headers });
      expect(byKey.body?.code).not.toBe('reauthentication-required');
    }
    clock.advance(-FRESH_MS - 1);
  },
);

it('what needs a fresh sign-in is what destroys for good, gives access, or shows a lasting secret', () => {
  const named = operations.filter(({ fresh }) => fresh).map(({ operationId }) => operationId);
  expect(named).toEqual(
    expect.arrayContaining([
      ...['deleteEvent', 'deleteList', 'endList', 'createApiKey', 'rotateCheckInSecret', 'rotateWebhookSecret'],
      ...['inviteUser', 'updateUser', 'removeUser', 'renewInvitation', 'beginPasskeyCreation', 'deletePasskey'],
    ]),
  );
  expect(operations.filter(({ fresh, method }) => fresh && method === 'get')).toEqual([]);
});

it('a manager has all but keys and changes of users, a door little, an auditor what reads', () => {
  const lacking = apiKeyScopes.filter((scope) => !roleScopes.manager.includes(scope));
  expect(lacking).toEqual(['keys:read', 'keys:write', 'users:write']);
  expect(roleScopes.door).toEqual(['events:read', 'lists:read', 'devices:read', 'devices:write']);
  expect(roleScopes.auditor.every((scope) => scope.endsWith(':read'))).toBe(true);
  expect(roleScopes.owner).toEqual(apiKeyScopes);
});

describe('a change in the name of a person', () => {
  const changes = operations.filter(
    ({ security, method }) => ['apiKey', 'session'].includes(security) && method !== 'get',
  );
  const send = (operation: Operation, headers: Record<string, string>) =>
    people.owner.request<{ code: string }>(
      operation.method.toUpperCase(),
      operation.path.replaceAll(/\{\w+\}/g, 'none'),
      operation.method === 'delete' ? undefined : { nonsense: true },
      headers,
    );
  it.each(changes.map((operation) => [operation.operationId, operation] as const))(
    '%s needs the session’s CSRF token and the dashboard’s own pages',
    async (_id, operation) => {
      const own = new URL(api.config.dashboardUrl ?? '').origin;
      const codes = await Promise.all(
        [
          { [CSRF_HEADER]: '' },
          { [CSRF_HEADER]: others.person.csrfToken },
          { Origin: 'https://evil.example' },
          { Origin: 'null' },
          { Origin: own, 'Sec-Fetch-Site': 'cross-site' },
          { 'Sec-Fetch-Site': 'same-site' },
        ].map(async (headers) => (await send(operation, headers)).body?.code),
      );
      expect(codes).toEqual([
        ...['csrf-token-invalid', 'csrf-token-invalid'],
        ...['foreign-page', 'foreign-page', 'foreign-page', 'foreign-page'],
      ]);
      const mine = { Origin: own, 'Sec-Fetch-Site': 'same-origin' };
      if (operation.operationId === 'signOut') return;
      expect(['csrf-token-invalid', 'foreign-page']).not.toContain((await send(operation, mine)).body?.code);
    },
  );

  it('is read without: a page elsewhere learns nothing, as no answer allows it to', async () => {
    const answer = await people.owner.request('GET', '/v1/lists', undefined, {
      [CSRF_HEADER]: '',
      Origin: 'https://evil.example',
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('with an API key too, the key counts: its rights, and no CSRF token', async () => {
    const { apiKey } = await api.admin.keys.create(tenant.customer.accountId, 'reader', { scopes: ['lists:read'] });
    const both = { 'X-Api-Key': apiKey, [CSRF_HEADER]: '', Origin: 'https://evil.example' };
    expect((await people.owner.request('GET', '/v1/lists', undefined, both)).status).toBe(200);
    const refused = await people.owner.request('POST', '/v1/events', {}, both);
    expect(refused.body).toMatchObject({ code: 'insufficient-scope' });
    const wrong = { ...both, 'X-Api-Key': 'letmein' };
    expect((await people.owner.request('GET', '/v1/lists', undefined, wrong)).status).toBe(401);
  });
});
