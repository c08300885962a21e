import { defineConfig } from '@playwright/test';
import { chromiumArguments, chromiumPath } from '@svc/benchmarks/inputs/browser';
import { looks, windows } from './src/support/looks.ts';

const { SVC_TEST_RETRIES: retries, TEST_WORKER_INDEX: worker } = process.env;
if (chromiumPath === undefined && worker === undefined) console.log('skipped: no Chromium');

const pictures = { testMatch: '**/pages/*.pictures.ts', snapshotPathTemplate: 'screenshots/{projectName}/{arg}{ext}' };
const timezoneId = 'Europe/Berlin';

/** Tests that are tagged `@long` are left out of `npm test`: minutes in real time, and every row of a table. */
export default defineConfig({
  testDir: 'src',
  testIgnore: chromiumPath === undefined ? '**' : [],
  projects: [
    { name: 'tests', testMatch: '**/*.spec.ts' },
    { name: 'manual', fullyParallel: true, testMatch: '**/pages/manual-pictures.ts', use: { timezoneId } },
    // Of everything that a page can show, in a folder that git ignores: see src/pages.
    ...Object.entries(windows).flatMap(([window, viewport]) =>
      looks.map((look) => ({
        ...{ name: [window, look.colorScheme, look.locale.slice(0, 2)].join('-'), ...pictures },
        grepInvert: /^(phone|tablet|laptop)$/.test(window) ? [] : /dashboard/,
        use: { viewport, timezoneId, ...look },
      })),
    ),
    {
      ...{ name: 'forced-colours', ...pictures, grep: /kiosk/ },
      use: { viewport: windows.tablet, timezoneId, contextOptions: { forcedColors: 'active' } },
    },
    {
      ...{ name: 'zoomed-to-200', ...pictures, grep: /kiosk/ },
      use: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, timezoneId },
    },
  ],
  globalSetup: './playwright.global-setup.ts',
  outputDir: 'test-results',
  // As long as a slow machine takes that is busy with other things.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  workers: 2,
  forbidOnly: true,
  // In `npm test`, which lists what needed it.
  retries: Number(retries ?? 0),
  reporter: 'list',
  use: {
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    locale: 'en-GB',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { executablePath: chromiumPath ?? '', args: [...chromiumArguments] },
    // Pictures of rendered people, in a folder that git ignores.
    trace: 'retain-on-failure',
  },
});
