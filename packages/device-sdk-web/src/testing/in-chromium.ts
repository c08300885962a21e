import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { findChromium, startAdapterSite, type TestSite } from './test-site.ts';

const executablePath = findChromium();
const launchOptions = { executablePath: executablePath ?? '', args: ['--no-sandbox', '--disable-gpu'] };

/** What tests in a browser share. Null until `beforeAll`. */
export interface Stage {
  site: TestSite;
  browser: Browser;
  /** A page of its own at the site's root. @param permissions with them in a context of its own */
  open(permissions?: readonly string[]): Promise<Page>;
}

/** Tests over a site in Chromium; skipped without one. @param start default: the site with `svcPage` */
export function inChromium(
  name: string,
  tests: (stage: Stage) => void,
  { start = () => startAdapterSite(), args = [] }: { start?: () => Promise<TestSite>; args?: readonly string[] } = {},
): void {
  describe.skipIf(executablePath === null)(name, () => {
    const stage = {
      async open(permissions?: readonly string[]) {
        const context =
          permissions === undefined ? stage.browser : await stage.browser.newContext({ permissions: [...permissions] });
        const page = await context.newPage();
        await page.goto(stage.site.url);
        return page;
      },
    } as Stage;
    beforeAll(async () => {
      stage.site = await start();
      stage.browser = await chromium.launch({ ...launchOptions, args: [...launchOptions.args, ...args] });
    });
    afterAll(async () => {
      await stage.browser?.close();
      await stage.site?.close();
    });
    tests(stage);
  });
}
