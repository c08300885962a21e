import { devicePage, type SitePart, startTestSite, type TestSite } from './test-site.ts';

/** The page with `globalThis.svcPage` of `page.ts` in it. */
export async function startAdapterSite(...parts: readonly SitePart[]): Promise<TestSite> {
  return startTestSite({ parts: [await devicePage(new URL('./page.ts', import.meta.url)), ...parts] });
}
