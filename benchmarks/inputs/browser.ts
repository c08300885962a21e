import { findChromium } from '@svc/device-sdk-web/testing';
import { type Browser, chromium } from 'playwright-core';

/** Where a Chromium lies; undefined where there is none, and the tests that need one say that they are skipped. */
export const chromiumPath = findChromium() ?? undefined;

export const launchChromium = (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox', '--disable-gpu', ...args] });
