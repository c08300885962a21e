import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { chromiumArguments, chromiumPath } from '@svc/benchmarks/inputs/browser';

const { SVC_TEST_OUTCOMES: outcomes, TEST_WORKER_INDEX: worker } = process.env;
if (chromiumPath === undefined && worker === undefined) console.log('skipped: no Chromium');

/** Tests that are tagged `@long` are left out of `npm test`: minutes in real time, and every row of a table. */
export default defineConfig({
  testDir: 'src',
  testIgnore: chromiumPath === undefined ? '**' : [],
  projects: [
    { name: 'tests', testMatch: '**/*.spec.ts' },
    // Of everything that a page can show, in a folder that git ignores: see src/pages.
    { name: 'pictures', testMatch: '**/*.pictures.ts', snapshotPathTemplate: 'screenshots/{arg}{ext}' },
  ],
  globalSetup: './playwright.global-setup.ts',
  outputDir: 'test-results',
  // As long as a slow machine takes that is busy with other things.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  workers: 2,
  forbidOnly: true,
  // In `npm test`, which lists what needed it.
  retries: outcomes === undefined ? 0 : 1,
  reporter: [
    ['list'],
    ...(outcomes === undefined ? [] : [['json', { outputFile: join(outcomes, 'playwright.json') }] as const]),
  ],
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
