import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { temporaryAddOn, withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import type { DeviceStatus } from '@svc/device-sdk';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { deviceAssets, devicePage, type SitePart, startTestSite } from '@svc/device-sdk-web/testing';
import { guests, photoOf, ticketOf } from '../support/guests.ts';
import { Films, installPageCamera, type PageCamera } from '../support/page-camera.ts';
import { startService } from '../support/service.ts';
import type { DoorPage } from './page.ts';

/** Chromium's flag for a processor without SSE 4.1, on which V8 runs no WebAssembly SIMD. */
export const WITHOUT_SIMD = '--js-flags=--no-enable-sse4-1';

/** Runs in the page. */
export const atDoor = <T>(page: Page, action: (door: DoorPage) => Promise<T> | T): Promise<T> =>
  page.evaluate(`(${action.toString()})(globalThis.door)`) as Promise<T>;

/**
 * A site with a page and its engine, before whose camera Anna stands, who is enrolled.
 * @param before a part of the site that is asked before the others
 */
export async function startWebDoor(before?: (assets: SitePart) => SitePart) {
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
    ...{ service, listId, site },
    device: await service.addDevice(listId),
    /** Loads the page, brings Anna before its camera, and creates a device with the token. */
    async open(page: Page, deviceToken: string): Promise<DeviceStatus> {
      await page.addInitScript(installPageCamera, {});
      await page.goto(site.url);
      await page.evaluate((shown) => (globalThis as unknown as { camera: PageCamera }).camera.show(shown), film);
      const options = {
        deviceToken,
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
