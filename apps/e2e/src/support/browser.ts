import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where a Chromium lies; undefined where there is none, and the tests that need one say that they are skipped. */
export const chromiumPath = [
  process.env.SVC_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
if (chromiumPath === undefined) console.log('skipped: no chromium');

export const launchChromium = (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox', '--disable-gpu', ...args] });
