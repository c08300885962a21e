import { type Operation, operations } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { createTenant, credentialOf, type Tenant, targetOf } from '../../testing/tenant.ts';
import { requestJson, startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
let tenant: Tenant;
let before: string;

/** Everything that the tenant's key can read. */
async function readAll(): Promise<string> {
  const paths = ['events', 'lists', 'webhooks', 'usage', 'audit-log'].map((name) => `/v1/${name}`);
  const list = `/v1/lists/${tenant.parameters.listId}`;
  const all = [...paths, list, `${list}/people`, `${list}/devices`];
  const answers = await Promise.all(all.map((path) => tenant.customer.request('GET', path)));
  return JSON.stringify(answers.map(({ body }) => body));
}

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { createInference: createFakeInference });
  tenant = await createTenant(api, Date.now());
  before = await readAll();
});
afterAll(() => api.close());

function send(operation: Operation, more: { readonly query?: string; readonly body?: object }) {
  const target = targetOf(operation, tenant);
  const separator = target.includes('?') ? '&' : '?';
  return requestJson<Record<string, unknown>>(
    `${api.url}${target}${more.query === undefined ? '' : separator + more.query}`,
    {
      method: operation.method.toUpperCase(),
      headers: {
        ...credentialOf(tenant, operation.security),
        ...(more.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
    },
  );
}

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (_id, operation) => {
  it('refuses a parameter that it does not know, by its name', async () => {
    const answer = await send(operation, { query: 'retaindays=1' });
    expect([answer.status, answer.body.code]).toEqual([400, 'unknown-parameter']);
    expect(answer.body.errors).toEqual([{ parameter: 'retaindays', detail: 'is not known' }]);
  });

  it.skipIf(['get', 'delete'].includes(operation.method))('refuses a member that it does not know', async () => {
    const answer = await send(operation, {
      body: { ...(operation.request?.example as object | undefined), retaindays: 1 },
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'unknown-parameter']);
    expect(answer.body.errors).toEqual([{ pointer: '/retaindays', detail: 'is not known' }]);
  });
});

it('and nothing of what was refused was carried out', async () => {
  expect(await readAll()).toBe(before);
});
