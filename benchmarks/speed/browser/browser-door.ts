import { ok } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { deviceAssets, devicePage, type SitePart, startTestSite } from '@svc/device-sdk-web/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Door, DoorOptions } from '../attempt/door.ts';
import type { Film } from '../attempt/film.ts';
import { frameAt, framePath } from '../attempt/visitor.ts';
import type { Start } from '../inputs/one-core.ts';
import { checkSameFace, frameHeight, frameWidth, withoutAlpha } from '../inputs/photo.ts';
import { humanConfig, wholeFrameStages } from '../peers/human-config.ts';
import { humanAddresses, humanPlacesAt, humanSite } from './human-site.ts';

/**
 * Processor time of the browser's renderers, pages and workers with all threads. Linux reports it to the nanosecond for
 * waiting threads.
 * @returns milliseconds; null if unknown
 */
async function rendererTime(browser: Browser): Promise<() => Promise<number | null>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const folders = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => join('/proc', String(id), 'task'));
  const ofThread = async (folder: string): Promise<number> =>
    // A thread may have ended in the meantime.
    Number((await readFile(join(folder, 'schedstat'), 'utf8').catch(() => '0')).split(' ')[0]);
  return async () => {
    try {
      const threads = await Promise.all(
        folders.map(async (folder) => (await readdir(folder)).map((thread) => join(folder, thread))),
      );
      const times = await Promise.all(threads.flat().map(ofThread));
      const total = times.reduce((sum, time) => sum + time, 0);
      return total > 0 ? total / 1e6 : null;
    } catch {
      return null;
    }
  };
}

interface BrowserDoorOptions extends DoorOptions {
  readonly executablePath: string;
  readonly start: Start;
  /** Folder of the passive add-on; see `buildDeviceAssets`. */
  readonly addOn: { readonly addOnDirectory?: string };
}

const firstMoment = { tick: 0, yawDeg: 0 } as const;

const framesOf =
  (film: Film): SitePart =>
  (path) => {
    const named = frameAt(path);
    if (named === null) return null;
    const { data } = film.frame(named.person, named.moment);
    return {
      headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
      body: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    };
  };

/** The page with the devices, synced. */
async function openDevices(page: Page, url: string, { service, variants }: DoorOptions): Promise<Page> {
  await page.goto(url);
  for (const passive of variants) {
    const device = {
      deviceToken: service.deviceToken,
      region: { ...service.region, baseUrl: url },
      databaseName: passive ? 'with' : 'without',
      assetsUrl: 'assets/',
      ...(passive ? {} : ({ passiveLiveness: 'absent-staff-in-view' } as const)),
    };
    const synced = await page.evaluate(([passive, device]) => globalThis.devicePage.open(passive, device), [
      passive,
      device,
    ] as const);
    ok(synced, 'the device has to sync');
  }
  return page;
}

/** The page with Human, loaded. */
async function openPeer(page: Page, url: string): Promise<Page> {
  await page.goto(url + humanAddresses.page);
  await page.evaluate(
    ([address, config, frame, width, height]) => globalThis.humanPage.load(address, config, frame, width, height),
    [
      humanAddresses.library,
      humanConfig(wholeFrameStages, true, humanPlacesAt(url)),
      humanAddresses.frame,
      frameWidth,
      frameHeight,
    ] as const,
  );
  return page;
}

/** Devices in a page of Chromium, each with its engine in a worker, and Human in another page of the same browser. */
export async function openBrowserDoor(options: BrowserDoorOptions): Promise<Door> {
  const { executablePath, start, addOn, service, film, face } = options;
  const cleanUp: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const action of cleanUp.splice(0).reverse()) await action();
  };
  try {
    const directory = await mkdtemp(join(tmpdir(), 'svc-bench-assets-'));
    cleanUp.push(() => rm(directory, { recursive: true, force: true }));
    const manifest = await buildDeviceAssets({ directory, ...addOn });
    const first = film.frame(0, firstMoment);
    const site = await startTestSite({
      parts: [
        await devicePage(new URL('./device-page.ts', import.meta.url)),
        deviceAssets({ directory, manifest }),
        framesOf(film),
        await humanSite(withoutAlpha(first.data)),
      ],
      serviceUrl: service.url,
    });
    cleanUp.push(() => site.close());
    // There is no GPU here: both sides compute in WebAssembly.
    const browser = await start(() => chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] }));
    cleanUp.push(() => browser.close());

    const context = await browser.newContext();
    const devices = await openDevices(await context.newPage(), site.url, options);
    const peer = await openPeer(await context.newPage(), site.url);
    await devices.exposeFunction('rendererMs', await rendererTime(browser));

    return {
      where: 'Chromium',
      async attempt(visit) {
        // Browsers throttle hidden pages.
        await devices.bringToFront();
        return devices.evaluate(([visit, width, height]) => globalThis.devicePage.attempt(visit, width, height), [
          visit,
          frameWidth,
          frameHeight,
        ] as const);
      },
      async readVideo() {
        await devices.bringToFront();
        return devices.evaluate(([path, width, height]) => globalThis.devicePage.readVideo(path, width, height), [
          framePath(0, firstMoment),
          frameWidth,
          frameHeight,
        ] as const);
      },
      async human() {
        await peer.bringToFront();
        const { wallMs, faces } = await peer.evaluate(() => globalThis.humanPage.detect());
        const [seen, ...others] = faces;
        ok(seen?.isScored && others.length === 0 && seen.points >= 468 && seen.dimension === 1024);
        const [x, y, width, height] = seen.box;
        checkSameFace(face, { x, y, width, height });
        return wallMs;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
