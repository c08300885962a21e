import { createHash } from 'node:crypto';
import { operations } from '@svc/protocol';
import type { Application, RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { useApi } from '../../testing/use-api.ts';

interface Layer {
  readonly route?: { readonly path: string; readonly stack: readonly { readonly method?: string }[] };
  readonly handle?: { readonly stack?: readonly Layer[] };
}

let app: Application | undefined;
const observe: RequestHandler = (request, _response, next) => {
  app = request.app;
  next();
};
const { api } = useApi({ observe, customer: null });

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
      /^get \/((dashboard|docs|kiosk|manual|widget|demo)(\/|$)|openapi\.json$|$)/.test(route),
    );
    expect(routes.filter((route) => !pages.includes(route)).sort()).toEqual(
      operations.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  it.each(['/v1', '', '/docs'])('is served as it is built, to anybody, at %s/openapi.json', async (folder) => {
    const response = await fetch(`${api.url}${folder}/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const document = (await response.json()) as { openapi: string; paths: Record<string, object> };
    expect(document.openapi).toBe('3.1.1');
    for (const { path, method } of operations) expect(document.paths[path]).toHaveProperty(method);
  });
});

it('the collection for API clients has every operation but the dashboard’s own', async () => {
  type Folder = { readonly item: readonly { readonly request: { method: string; url: { raw: string } } }[] };
  const { item } = (await (await fetch(`${api.url}/docs/collection.json`)).json()) as { item: readonly Folder[] };
  const found = item.flatMap((folder) => folder.item).map(({ request }) => `${request.method} ${request.url.raw}`);
  const own = operations.filter(({ security, signsIn }) => security !== 'session' && signsIn !== true);
  const path = (of: string) => of.replaceAll(/\{(\w+)\}/g, ':$1');
  expect(found.sort()).toEqual(own.map((o) => `${o.method.toUpperCase()} {{baseUrl}}${path(o.path)}`).sort());
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
