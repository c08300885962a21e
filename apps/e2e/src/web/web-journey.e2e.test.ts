import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { temporaryAddOn, withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import { countKernelCalls, type KernelCalls } from '@svc/core/testing';
import type { DeviceSettings } from '@svc/device-sdk';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { deviceAssets, devicePage, type SitePart, startTestSite, type TestSite } from '@svc/device-sdk-web/testing';
import { identitySeed, renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canaryOf, templateCanaries } from '../enrolment/canaries.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { changeSigningKey } from '../support/change-signing-key.ts';
import { isSync, type Recorder, startRecorder, strayRequests } from '../wire/recorder.ts';
import type { DoorPage } from './page.ts';

const JOURNEY_MS = 240_000;
/**
 * How much faster the world is than the page's clock, so that a busy machine has enough of the attempt's ten seconds.
 */
const SLOWED = 4;
const TURN_DEG = 30;
const STEP_DEG = 6;
const guest = identitySeed(1);
const guestId = 'ticket-of-anna-4711';
const unknownId = 'ticket-of-nobody-4712';
/** The page's files: the page, the folder of the engine, and the visitor's pictures. */
const isOwnFile = (target: string) => /^\/(page\.js|assets\/[\w./-]+|frames\/[\w-]+\.jpg)?$/.test(target);
const yaws = Array.from({ length: 2 * (TURN_DEG / STEP_DEG) + 1 }, (_, i) => i * STEP_DEG - TURN_DEG);

describe.skipIf(chromiumPath === undefined)('a device in Chromium, offline too', { timeout: JOURNEY_MS }, () => {
  let service: EnrolmentService;
  let site: TestSite;
  let recorder: Recorder;
  let template: Float32Array;
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
    addOn = await temporaryAddOn(['minifasnet', 'face-reidentification-retail-0095']);
    if (addOn === null) process.stdout.write('passive liveness, a second engine: skipped: no ../shared\n');
    const assets = join(directory, 'assets');
    const manifest = await buildDeviceAssets({ directory: assets, ...withMiniFasNet(addOn?.directory ?? null) });
    service = await startEnrolmentService();
    listId = await service.createList();
    const photo = await encodeJpeg(renderHead({ seed: guest, width: 960, height: 720, noiseSeed: 7 }));
    const body = enrolBody({ personId: guestId, photo });
    expect((await service.customer.request('POST', `/v1/lists/${listId}/people`, body)).status).toBe(201);
    added = (await service.customer.request<typeof added>('POST', `/v1/lists/${listId}/devices`)).body;
    template = await service.templateOf(listId, guestId);
    const doorPage = await devicePage(new URL('./page.ts', import.meta.url));
    site = await startTestSite({
      serviceUrl: service.api.url,
      parts: [doorPage, deviceAssets({ directory: assets, manifest }), await turnedPictures()],
    });
    recorder = await startRecorder(site.url);
    browser = await launchChromium(...recorder.browserArguments);
    context = await browser.newContext();
    page = await context.newPage();
    await page.addInitScript((slowed) => {
      const now = performance.now.bind(performance);
      performance.now = () => now() / slowed;
    }, SLOWED);
    await page.addInitScript(countKernelCalls);
  }, JOURNEY_MS);

  afterAll(async () => {
    await browser?.close();
    await recorder?.close();
    await site?.close();
    await service?.close();
    await addOn?.remove();
    await rm(directory, { recursive: true, force: true });
  }, JOURNEY_MS);

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

  async function open(settings: DeviceSettings = {}) {
    await page.goto(site.url);
    const options = {
      deviceToken: added.token,
      region: { baseUrl: site.url, signingKeys: [service.api.admin.region().signingKey] },
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
  }

  /** Calls to the page's core since it was loaded. */
  const coreCalls = (): Promise<KernelCalls> => page.evaluate('globalThis.svcKernelCalls');

  it('goes by its settings', async () => {
    const status = await open({ lightChallenge: 'when-possible', maxSyncBytes: 64 });
    expect(status.protections.light).toBe('when-possible');
    expect(await door((device) => device.sync())).toEqual({ ok: false, reason: 'too-long' });
  });

  it('knows nobody at first, then syncs', async () => {
    expect(await open()).toMatchObject({ ready: false, notReady: { reason: 'never-synced' } });
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 0 });
    expect(await door((device) => device.sync())).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    // The check record.
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 1 });
    // If both engines are installed, the preferred one is not the list's.
    const status = await door((device) => device.status());
    expect(status?.engineIds).toEqual(
      addOn === null ? ['dlib-resnet-128-mirror/1'] : ['retail-0095-mirror/3', 'dlib-resnet-128-mirror/1'],
    );
    expect(status?.engineMismatch).toBe(false);
  });

  it('lets the guest in who turns as asked', async () => {
    const { outcome, reason, prompts } = await door((device) => device.visit('ticket-of-anna-4711'));
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    expect(prompts).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']));
    // The guest's record is opened in the core; an unknown person has none.
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 2 });
    expect(await door((device) => device.visit('ticket-of-nobody-4712'))).toMatchObject({ reason: 'not-on-list' });
    expect(await coreCalls()).toEqual({ gcmSeal: 0, gcmOpen: 2 });
  });

  it('refuses nobody while the service’s signing key changes, nor in a page with the former key pinned', async () => {
    const goesOn = async () => {
      expect(await door((device) => device.sync())).toMatchObject({ ok: true });
      const { outcome, reason } = await door((device) => device.visit('ticket-of-anna-4711'));
      expect(`${outcome}/${reason}`).toBe('Match/verified');
    };
    const pinned = service.api.admin.region().signingKey;
    const beside = await service.customer.request<typeof added>('POST', `/v1/lists/${listId}/devices`);
    await changeSigningKey(service.api, beside.body.token, goesOn);
    expect(service.api.admin.region().signingKey).toBe(pinned);
    await open();
    await goesOn();
  });

  it('does so offline', async () => {
    await context.setOffline(true);
    expect(await door((device) => device.sync())).toEqual({ ok: false, reason: 'offline' });
    const { outcome, reason } = await door((device) => device.visit('ticket-of-anna-4711'));
    expect(`${outcome}/${reason}`).toBe('Match/verified');
    await context.setOffline(false);
  });

  it('continues after a reload, without closing the former page properly', async () => {
    expect(await open()).toMatchObject({ ready: true, people: 1 });
  });

  it('wipes itself when it is revoked, and is deleted on request', async () => {
    await service.customer.request('DELETE', `/v1/lists/${listId}/devices/${added.id}`);
    expect(await door((device) => device.sync())).toEqual({ ok: true, outcome: 'wiped', reason: 'device-revoked' });
    await door((device) => device.dispose());
    await door((device) => device.forget());
    expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
  });

  it('has sent nothing but syncs and requests for its own files, workers included', () => {
    const allowed = { isStatic: isOwnFile, deviceTokens: [added.token] };
    const canaries = [
      ...templateCanaries('template', template),
      canaryOf('scanned ID', Buffer.from(guestId)),
      canaryOf('unknown ID', Buffer.from(unknownId)),
    ];
    const { requests } = recorder;
    const syncs = requests.filter(isSync);
    // One too long for the settings, the one that filled the list, five while the key changed, and the one that wiped
    // it; another found no network.
    expect(syncs).toHaveLength(8);
    expect(requests.filter(({ target }) => target.startsWith('/assets/')).length).toBeGreaterThan(0);
    expect(strayRequests(requests, allowed, canaries)).toEqual([]);
    const tampered = syncs.slice(0, 1).map((sync) => ({ ...sync, body: Buffer.from(template.buffer) }));
    expect(strayRequests(tampered, allowed, canaries)).toEqual(
      expect.arrayContaining([expect.stringMatching(/holds template f32$/)]),
    );
  });
});
