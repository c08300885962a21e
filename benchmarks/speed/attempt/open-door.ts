import { ok } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { deviceAssets, devicePage, type SitePart, startTestSite } from '@svc/device-sdk-web/testing';
import { type Browser, chromium } from 'playwright-core';
import { openEngine } from '../../inputs/engine.ts';
import { withAddOns } from '../inputs/engines.ts';
import type { Start } from '../inputs/one-core.ts';
import { frameHeight, frameWidth } from '../inputs/photo.ts';
import { Film } from './film.ts';
import { startListService } from './list-service.ts';
import type { AttemptTimes } from './time-attempt.ts';
import { frameAt, personIdOf, type Visit } from './visitor.ts';

/** A device in a page of Chromium, with its engine in a worker. */
export interface Door {
  /** Whether the passive check runs: its add-on is there. */
  readonly hasPassive: boolean;
  attempt(visit: Visit): Promise<AttemptTimes>;
  close(): Promise<void>;
}

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

/**
 * A list of people enrolled by the default engine, and a device that has synced it.
 * @param o.people number of the film's people on the list @param o.start starts the browser
 */
export async function openDoor(o: {
  readonly people: number;
  readonly executablePath: string;
  readonly start: Start;
}): Promise<Door> {
  const cleanUp: (() => unknown)[] = [];
  const close = async () => {
    for (const action of cleanUp.splice(0).reverse()) await action();
  };
  try {
    return await withAddOns(async (addOn) => {
      const film = new Film();
      const node = await openEngine(addOn);
      cleanUp.push(() => node.close());
      const service = await startListService(node.engine);
      cleanUp.push(() => service.close());
      for (let person = 0; person < o.people; person += 1) {
        const enrolled = await node.engine.enrol(film.photo(person));
        if (!enrolled.ok) throw new Error(`a photo is refused: ${enrolled.reason}`);
        service.enrol(personIdOf(person), enrolled.reference);
      }
      const directory = await mkdtemp(join(tmpdir(), 'svc-bench-assets-'));
      cleanUp.push(() => rm(directory, { recursive: true, force: true }));
      const manifest = await buildDeviceAssets({ directory, ...addOn });
      const site = await startTestSite({
        parts: [
          await devicePage(new URL('./device-page.ts', import.meta.url)),
          deviceAssets({ directory, manifest }),
          framesOf(film),
        ],
        serviceUrl: service.url,
      });
      cleanUp.push(() => site.close());
      const { executablePath } = o;
      const browser = await o.start(() => chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] }));
      cleanUp.push(() => browser.close());
      const page = await browser.newPage();
      await page.goto(site.url);
      const hasPassive = node.passiveLiveness !== null;
      const synced = await page.evaluate((device) => globalThis.devicePage.open(device), {
        deviceToken: service.deviceToken,
        region: { ...service.region, baseUrl: site.url },
        databaseName: 'bench',
        assetsUrl: 'assets/',
        ...(hasPassive ? {} : ({ passiveLiveness: 'absent-staff-in-view' } as const)),
      });
      ok(synced, 'the device has to sync');
      await page.exposeFunction('rendererMs', await rendererTime(browser));
      return {
        hasPassive,
        attempt: (visit) =>
          page.evaluate(([visit, width, height]) => globalThis.devicePage.attempt(visit, width, height), [
            visit,
            frameWidth,
            frameHeight,
          ] as const),
        close,
      };
    });
  } catch (error) {
    await close();
    throw error;
  }
}
