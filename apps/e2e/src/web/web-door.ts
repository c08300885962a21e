import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { temporaryAddOn, withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import type { DeviceSettings, DeviceStatus, Region } from '@svc/device-sdk';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { deviceAssets, devicePage, type SitePart, startTestSite, type TestSite } from '@svc/device-sdk-web/testing';
import { identitySeed, renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import type { DemoService } from '../demo/service.ts';
import type { DoorPage } from './page.ts';

const TURN_DEG = 30;
const STEP_DEG = 6;
const yaws = Array.from({ length: 2 * (TURN_DEG / STEP_DEG) + 1 }, (_, i) => i * STEP_DEG - TURN_DEG);
const guest = identitySeed(1);

/** Chromium's flag for a processor without SSE 4.1, on which V8 runs no WebAssembly SIMD. */
export const WITHOUT_SIMD = '--js-flags=--no-enable-sse4-1';

export interface WebDoorOptions {
  /** Closed with the door. */
  readonly service: Pick<DemoService, 'url' | 'region' | 'enrol' | 'close'>;
  /** The ID under which the guest is enrolled. */
  readonly guestId: string;
  /** A part of the site that is asked before the others. */
  readonly before?: (assets: SitePart) => SitePart;
}

/** A site with a page and its engine, before whose camera the enrolled guest stands. */
export interface WebDoor {
  readonly site: TestSite;
  /** With MiniFASNet and a second engine; else staff are in view. */
  readonly hasAddOn: boolean;
  /** Loads the page, brings the guest before its camera, and creates a device with the token. */
  open(page: Page, deviceToken: string, settings?: DeviceSettings): Promise<DeviceStatus>;
  close(): Promise<void>;
}

/** Runs in the page. */
export const atDoor = <T>(page: Page, action: (door: DoorPage) => Promise<T> | T): Promise<T> =>
  page.evaluate(`(${action.toString()})(globalThis.door)`) as Promise<T>;

/** Makes the page's clock slower than the world by this factor. */
export const slowed = (context: BrowserContext | Page, factor: number): Promise<unknown> =>
  context.addInitScript((by) => {
    const now = performance.now.bind(performance);
    performance.now = () => now() / by;
  }, factor);

export async function startWebDoor({ service, guestId, before }: WebDoorOptions): Promise<WebDoor> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-web-'));
  const addOn = await temporaryAddOn(['minifasnet', 'face-reidentification-retail-0095']);
  if (addOn === null) process.stdout.write('passive liveness, a second engine: skipped: no ../shared\n');
  const assets = join(directory, 'assets');
  const manifest = await buildDeviceAssets({ directory: assets, ...withMiniFasNet(addOn?.directory ?? null) });
  const photo = await encodeJpeg(renderHead({ seed: guest, width: 960, height: 720, noiseSeed: 7 }));
  const enrolled = await service.enrol(guestId, photo);
  if (enrolled !== '201') throw new Error(`the guest was not enrolled: ${enrolled}`);
  const files = deviceAssets({ directory: assets, manifest });
  const site = await startTestSite({
    serviceUrl: service.url,
    parts: [
      ...(before === undefined ? [] : [before(files)]),
      await devicePage(new URL('./page.ts', import.meta.url)),
      files,
      await turnedPictures(),
    ],
  });
  return {
    site,
    hasAddOn: addOn !== null,
    async open(page, deviceToken, settings = {}) {
      await page.goto(site.url);
      const options = {
        deviceToken,
        region: { ...(service.region as Exclude<Region, string>), baseUrl: site.url },
        assetsUrl: 'assets/',
        ...settings,
        ...(addOn === null ? ({ passiveLiveness: 'absent-staff-in-view' } as const) : {}),
      };
      return page.evaluate(
        async ([options, yaws]) => {
          const { door } = globalThis as unknown as { door: DoorPage };
          await door.standBeforeCamera(yaws);
          return door.open(options);
        },
        [options, yaws] as const,
      );
    },
    async close() {
      await site.close();
      await service.close();
      await addOn?.remove();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function turnedPictures(): Promise<SitePart> {
  const pictures = new Map<string, Uint8Array>();
  for (const yawDeg of yaws) {
    const head = renderHead({ seed: guest, width: 640, height: 480, distance: 1.7, yawDeg, noiseSeed: 100 + yawDeg });
    pictures.set(`/frames/yaw${yawDeg}.jpg`, await encodeJpeg(head, 95));
  }
  return (path) => {
    const body = pictures.get(path);
    return body === undefined ? null : { headers: { 'content-type': 'image/jpeg' }, body };
  };
}
