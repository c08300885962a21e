import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { SitePart } from '@svc/device-sdk-web/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EnrolledDoor, startEnrolledDoor } from './enrolled-door.ts';
import { forgetNewerFunctions } from './older-browser.ts';
import { atDoor, slowed, WITHOUT_SIMD } from './web-door.ts';

const LIMIT_MS = 240_000;
/** How much slower the page's clock is: a busy machine is not an old phone. */
const SLOWED = 4;

/** The worker's script, which no init script of the page reaches, in an older browser. */
const inOlderBrowser =
  (assets: SitePart): SitePart =>
  async (path) => {
    if (!path.endsWith('/engine-worker.js')) return null;
    const file = await assets(path);
    if (file === null) return null;
    return { ...file, body: `(${forgetNewerFunctions})();${Buffer.from(file.body).toString()}` };
  };

describe.skipIf(chromiumPath === undefined)('a browser of 2021 without WebAssembly SIMD', { timeout: LIMIT_MS }, () => {
  let at: EnrolledDoor;
  let browser: Browser;
  let page: Page;
  const fetched: string[] = [];

  beforeAll(async () => {
    at = await startEnrolledDoor({ guestId: 'ticket-of-anna-4711', before: inOlderBrowser });
    browser = await launchChromium(WITHOUT_SIMD);
    page = await browser.newPage();
    await slowed(page, SLOWED);
    await page.addInitScript(forgetNewerFunctions);
    page.context().on('request', (request) => fetched.push(new URL(request.url()).pathname));
  }, LIMIT_MS);

  afterAll(async () => {
    await browser?.close();
    await at?.close();
  }, LIMIT_MS);

  it('lets the guest in, on the scalar core and the runtime without SIMD', async () => {
    const status = await at.open(page, at.device.token);
    expect(status).toMatchObject({ core: 'scalar', framesPerSecond: expect.any(Number) });
    expect(await atDoor(page, (door) => door.sync())).toMatchObject({ ok: true, people: 1 });
    const { outcome, reason, prompts } = await atDoor(page, (door) => door.visit('ticket-of-anna-4711'));
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    expect(prompts).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']));
    const runtimes = fetched.filter((path) => path.includes('/tflite/'));
    expect(runtimes).toEqual(['/assets/tflite/tflite_web_api_cc.wasm', '/assets/tflite/tflite_web_api_cc.js']);
  });
});
