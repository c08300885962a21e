import { createHash } from 'node:crypto';
import { type Operation, operations } from '@svc/protocol';
import type { Application, RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { createTenant, credentialOf, type Tenant, targetOf } from '../../testing/tenant.ts';
import { requestJson, startTestApi, type TestApi } from '../../testing/test-api.ts';

interface Layer {
  readonly route?: { readonly path: string; readonly stack: readonly { readonly method?: string }[] };
  readonly handle?: { readonly stack?: readonly Layer[] };
}

let api: TestApi;
let app: Application | undefined;

beforeAll(async () => {
  const observe: RequestHandler = (request, _response, next) => {
    app = request.app;
    next();
  };
  api = await startTestApi(inject('postgres'), { createInference: createFakeInference, observe });
});
afterAll(() => api.close());

/** Method and path of every mounted route, in the document's notation. */
function* routesOf(stack: readonly Layer[]): Generator<string> {
  for (const { route, handle } of stack) {
    if (route !== undefined) {
      const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
      for (const { method } of route.stack) if (method !== undefined) yield `${method} ${path}`;
    } else if (handle?.stack !== undefined) yield* routesOf(handle.stack);
  }
}

describe('the document', () => {
  it('documents exactly the mounted routes', async () => {
    await fetch(`${api.url}/healthz`);
    const routes = [...routesOf((app as unknown as { router: { stack: Layer[] } }).router.stack)];
    const pages = routes.filter((route) =>
      /^get \/((dashboard|docs|kiosk|widget|demo)(\/|$)|openapi\.json$)/.test(route),
    );
    expect(routes.filter((route) => !pages.includes(route)).sort()).toEqual(
      operations.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  it.each(['/v1/openapi.json', '/openapi.json'])('is served as it is built, to anybody, at %s', async (path) => {
    const response = await fetch(api.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const document = (await response.json()) as { openapi: string; paths: Record<string, object> };
    expect(document.openapi).toBe('3.1.1');
    for (const { path, method } of operations) expect(document.paths[path]).toHaveProperty(method);
  });
});

describe('pages', () => {
  it.each(['/docs', '/docs/errors'])('%s is a page that runs nothing', async (path) => {
    const response = await fetch(api.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    const style = /<style>(.*)<\/style>/s.exec(await response.text())?.[1] ?? '';
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}';`);
    expect(policy).not.toContain('unsafe');
  });
});

describe('strict input', () => {
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
});
