import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { temporaryAddOn, withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import type { DeviceStatus } from '@svc/device-sdk';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { deviceAssets, devicePage, type SitePart, startTestSite } from '@svc/device-sdk-web/testing';
import { expect, test } from '../support/browser-test.ts';
import { guests, photoOf, ticketOf } from '../support/guests.ts';
import { Films, installPageCamera, type PageCamera, slowed } from '../support/page-camera.ts';
import { startService } from '../support/service.ts';
import type { DoorPage } from './page.ts';

/** Runs in the page. */
const atDoor = <T>(page: Page, action: (door: DoorPage) => Promise<T> | T): Promise<T> =>
  page.evaluate(`(${action.toString()})(globalThis.door)`) as Promise<T>;

/**
 * A site with a page and its engine, before whose camera Anna stands, who is enrolled.
 * @param before a part of the site that is asked before the others
 */
async function startWebDoor(before?: (assets: SitePart) => SitePart) {
  const directory = await mkdtemp(join(tmpdir(), 'svc-web-'));
  const addOn = await temporaryAddOn();
  if (addOn === null) process.stdout.write('passive liveness: skipped: no ../shared\n');
  const manifest = await buildDeviceAssets({ directory, ...withMiniFasNet(addOn?.directory ?? null) });
  const service = await startService();
  const listId = await service.createList();
  const { status } = await service.enrol(listId, ticketOf('anna'), await photoOf('anna'));
  if (status !== 201) throw new Error(`the guest was not enrolled: ${status}`);
  const files = deviceAssets({ directory, manifest });
  const site = await startTestSite({
    serviceUrl: service.url,
    parts: [...(before ? [before(files)] : []), await devicePage(new URL('./page.ts', import.meta.url)), files],
  });
  const film = await new Films().of({ seed: guests.anna });
  return {
    /** Loads the page, brings Anna before its camera, and creates a device. */
    async open(page: Page): Promise<DeviceStatus> {
      await page.addInitScript(installPageCamera, {});
      await page.goto(site.url);
      await page.evaluate((shown) => (globalThis as unknown as { camera: PageCamera }).camera.show(shown), film);
      const options = {
        deviceToken: (await service.addDevice(listId)).token,
        region: { ...service.region, baseUrl: site.url },
        assetsUrl: 'assets/',
        ...(addOn === null ? ({ passiveLiveness: 'absent-staff-in-view' } as const) : {}),
      };
      return page.evaluate((given) => (globalThis as unknown as { door: DoorPage }).door.open(given), options);
    },
    async close() {
      await site.close();
      await service.close();
      await addOn?.remove();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Runs in a page or worker before its scripts: removes what Chrome 91 and Safari 15.0 do not have yet and a device
 * would miss.
 */
function forgetNewerFunctions(): void {
  const older: readonly (readonly [object | undefined, readonly string[]])[] = [
    [Array.prototype, ['at', 'findLast', 'findLastIndex', 'toSorted', 'toSpliced', 'toReversed', 'with']],
    [Object.getPrototypeOf(Uint8Array.prototype), ['at', 'findLast', 'findLastIndex', 'toSorted', 'toReversed']],
    [Uint8Array, ['fromBase64', 'fromHex']],
    [Uint8Array.prototype, ['toBase64', 'toHex']],
    [String.prototype, ['at', 'isWellFormed', 'toWellFormed']],
    [Object, ['hasOwn', 'groupBy']],
    [URL, ['canParse', 'parse']],
    [Promise, ['withResolvers', 'try']],
    [URL, ['canParse']],
    [AbortSignal, ['abort', 'any', 'timeout']],
    [Crypto.prototype, ['randomUUID']],
    [globalThis, ['structuredClone', 'scheduler']],
    [ReadableStream.prototype, [Symbol.asyncIterator as never, 'values']],
    [
      (globalThis as { HTMLVideoElement?: { prototype: object } }).HTMLVideoElement?.prototype,
      ['requestVideoFrameCallback'],
    ],
  ];
  for (const [owner, names] of older) for (const name of names) if (owner) Reflect.deleteProperty(owner, name);
}

/** The worker's script, which no init script of the page reaches, in an older browser. */
const inOlderBrowser =
  (assets: SitePart): SitePart =>
  async (path) => {
    if (!path.endsWith('/engine-worker.js')) return null;
    const file = await assets(path);
    if (file === null) return null;
    return { ...file, body: `(${forgetNewerFunctions})();${Buffer.from(file.body).toString()}` };
  };

// Without SSE 4.1 V8 runs no WebAssembly SIMD. What else a device does in a page, the kiosk's tests have.
for (const [name, core, ...flags] of [
  ['today’s Chromium', 'simd'],
  ['a browser of 2021 without WebAssembly SIMD', 'scalar', '--js-flags=--no-enable-sse4-1'],
] as const) {
  test(`${name} lets the guest in, on the ${core} core alone`, { tag: '@long' }, async () => {
    const isOlder = core === 'scalar';
    const at = await startWebDoor(isOlder ? inOlderBrowser : undefined);
    const browser = await launchChromium(...flags);
    const page = await browser.newPage();
    const fetched: string[] = [];
    await slowed(page, 4);
    if (isOlder) await page.addInitScript(forgetNewerFunctions);
    page.context().on('request', (request) => fetched.push(new URL(request.url()).pathname));
    const status = await at.open(page);
    expect(status).toMatchObject({ core, framesPerSecond: expect.any(Number) });
    console.log(`${core}: ${status.framesPerSecond?.toFixed(1)} frames a second`);
    expect(await atDoor(page, (door) => door.sync())).toMatchObject({ ok: true, people: 1 });
    const { outcome, reason, prompts } = await atDoor(page, (door) => door.visit('ticket-of-anna'));
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    expect(prompts).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']));
    const scripts = fetched.filter((path) => /^\/assets\/.*\.(js|wasm)$/.test(path));
    expect(scripts).toEqual(['/assets/engine-worker.js', `/assets/engine-core-${core}.js`]);
    await browser.close();
    await at.close();
  });
}
