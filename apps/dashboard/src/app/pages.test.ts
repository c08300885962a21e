import { apiKeyScopes } from '@svc/protocol/endpoints';
import { expect, it } from 'vitest';
import { pages } from './pages.ts';

const all = pages.flatMap((page) => [page, ...(page.tabs ?? [])]);

it('every page needs a right that exists, and only reading to be looked at or writing to make something', () => {
  for (const { scope, path } of all) {
    if (scope === null) expect(path).toBe('/me');
    else expect(apiKeyScopes, path).toContain(scope);
  }
});

it('what the navigation shows needs reading alone', () => {
  for (const page of pages) if (page.nav !== undefined) expect(page.scope, page.path).toMatch(/:read$/);
});

it('an address has one page', () => {
  const addresses = pages.flatMap((page) => [
    page.path,
    ...(page.tabs ?? []).filter(({ path }) => path !== '/').map((tab) => `${page.path}/${tab.path}`),
  ]);
  expect(new Set(addresses).size).toBe(addresses.length);
});
