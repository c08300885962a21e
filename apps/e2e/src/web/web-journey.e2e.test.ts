import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { identitySeed, renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { chromiumPath, launchChromium } from '../support/browser.ts';
import { temporaryAddOn } from '../synthetic/passive-add-on.ts';
import type { DoorPage } from './page.ts';
import { type DeviceSite, startDeviceSite } from './site.ts';

const JOURNEY_MS = 240_000;
/** How much faster the world is than the page's clock: a busy machine gets that much of the attempt's ten seconds. */
const SLOWED = 4;
const TURN_DEG = 30;
const STEP_DEG = 6;
const guest = identitySeed(1);
const yaws = Array.from({ length: 2 * (TURN_DEG / STEP_DEG) + 1 }, (_, i) => i * STEP_DEG - TURN_DEG);

describe.skipIf(chromiumPath === undefined)('a device in Chromium, offline too', { timeout: JOURNEY_MS }, () => {
  let service: EnrolmentService;
  let site: DeviceSite;
  let directory: string;
  let addOn: Awaited<ReturnType<typeof temporaryAddOn>>;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let listId: string;
  let added: { readonly id: string; readonly token: string };
  const door = <T>(action: (door: DoorPage) => Promise<T> | T): Promise<T> =>
    page.evaluate(`(${action.toString()})(globalThis.door)`) as Promise<T>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-web-'));
    addOn = await temporaryAddOn();
    if (addOn === null) process.stdout.write('passive liveness: skipped: no ../shared\n');
    const assets = join(directory, 'assets');
    const manifest = await buildDeviceAssets({ directory: assets, addOnDirectory: addOn?.directory ?? null });
    service = await startEnrolmentService();
    listId = await service.createList();
    const photo = await encodeJpeg(renderHead({ seed: guest, width: 960, height: 720, noiseSeed: 7 }));
    const body = enrolBody({ personId: 'ticket-4711', photo });
    expect((await service.customer.request('POST', `/v1/lists/${listId}/people`, body)).status).toBe(201);
    added = (await service.customer.request<typeof added>('POST', `/v1/lists/${listId}/devices`)).body;
    site = await startDeviceSite({
      serviceUrl: service.api.url,
      assets: { directory: assets, manifest },
      frames: await turnedPictures(),
    });
    browser = await launchChromium();
    context = await browser.newContext();
    page = await context.newPage();
    await page.addInitScript((slowed) => {
      const now = performance.now.bind(performance);
      performance.now = () => now() / slowed;
    }, SLOWED);
  }, JOURNEY_MS);

  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await service?.close();
    await addOn?.remove();
    await rm(directory, { recursive: true, force: true });
  }, JOURNEY_MS);

  async function turnedPictures(): Promise<ReadonlyMap<string, Uint8Array>> {
    const pictures = new Map<string, Uint8Array>();
    for (const yawDeg of yaws) {
      const head = renderHead({ seed: guest, width: 640, height: 480, distance: 1.7, yawDeg, noiseSeed: 100 + yawDeg });
      pictures.set(`yaw${yawDeg}`, await encodeJpeg(head, 95));
    }
    return pictures;
  }

  async function open() {
    await page.goto(site.url);
    const options = {
      deviceToken: added.token,
      region: { baseUrl: site.url, signingKeys: [service.api.admin.region().signingKey] },
      assetsUrl: 'assets/',
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
  }

  it('knows nobody at first, then syncs', async () => {
    expect(await open()).toMatchObject({ ready: false, notReady: { reason: 'never-synced' } });
    expect(await door((device) => device.sync())).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
  });

  it('lets the guest in who turns as asked', async () => {
    const { outcome, reason, prompts } = await door((device) => device.visit('ticket-4711'));
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    expect(prompts).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']));
    expect(await door((device) => device.visit('ticket-4712'))).toMatchObject({ reason: 'not-on-list' });
  });

  it('does so offline', async () => {
    await context.setOffline(true);
    expect(await door((device) => device.sync())).toEqual({ ok: false, reason: 'offline' });
    const { outcome, reason } = await door((device) => device.visit('ticket-4711'));
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    await context.setOffline(false);
  });

  it('goes on after the page is loaded anew, without a word to the one before', async () => {
    expect(await open()).toMatchObject({ ready: true, people: 1 });
  });

  it('wipes itself when it is revoked, and leaves when it is forgotten', async () => {
    await service.customer.request('DELETE', `/v1/lists/${listId}/devices/${added.id}`);
    expect(await door((device) => device.sync())).toEqual({ ok: true, outcome: 'wiped', reason: 'device-revoked' });
    await door((device) => device.dispose());
    await door((device) => device.forget());
    expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
  });
});
