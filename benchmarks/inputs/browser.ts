import { findChromium } from '@svc/device-sdk-web/testing';
import { type Browser, chromium } from 'playwright-core';

/** Path of Chromium; undefined if there is none, and tests that need it are then reported as skipped. */
export const chromiumPath = findChromium() ?? undefined;

export const chromiumArguments = ['--no-sandbox', '--disable-gpu'];

export const launchChromium = (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath ?? '', args: [...chromiumArguments, ...args] });
