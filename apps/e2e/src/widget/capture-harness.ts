import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { buildCapturePage, type CapturePage, type PhotoOutside } from '@svc/widget/capture-page';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type FakeCamera, type FakeCameraOptions, installFakeCamera } from './fake-camera.ts';
import { callGlobal } from './guest.ts';
import { startWidgetHarness, type WidgetHarness } from './harness.ts';

/** A page with the capture only, in a browser. */
export interface CaptureTab {
  readonly page: Page;
  /** Errors, refused scripts and requests to other hosts. */
  readonly complaints: readonly string[];
  /** Requested addresses below the page's folder, in order. */
  readonly fetched: readonly string[];
  /** Calls a function of the page. */
  call<Name extends keyof CapturePage>(
    name: Name,
    ...args: Parameters<CapturePage[Name]>
  ): Promise<Awaited<ReturnType<CapturePage[Name]>>>;
  /** Calls a function of the fake camera. */
  camera<Name extends keyof FakeCamera>(name: Name, ...args: Parameters<FakeCamera[Name]>): Promise<unknown>;
  close(): Promise<void>;
}

export interface CaptureHarness extends WidgetHarness {
  open(camera?: FakeCameraOptions | null, context?: BrowserContextOptions): Promise<CaptureTab>;
}

/** The capture page, served like the widget's page with the service's own engine, and a browser. */
export async function startCaptureHarness(): Promise<CaptureHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-capture-'));
  await buildCapturePage(folder);
  const harness = await startWidgetHarness({ inference: 'models', environment: { SVC_WIDGET_DIR: folder } });
  const browser = await launchChromium();
  return {
    ...harness,
    open: (camera = {}, context = {}) => openTab(browser, harness.widgetUrl, camera, context),
    async close() {
      await browser.close();
      await harness.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openTab(
  browser: Browser,
  url: string,
  camera: FakeCameraOptions | null,
  options: BrowserContextOptions,
): Promise<CaptureTab> {
  const context = await browser.newContext(options);
  if (camera !== null) await context.addInitScript(installFakeCamera, camera);
  const page = await context.newPage();
  const complaints: string[] = [];
  const fetched: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const isIcon = message.location().url.endsWith('/favicon.ico');
    if (!isIcon && /^(error|warning)$/.test(message.type())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const address = request.url();
    if (address.startsWith(url)) fetched.push(address.slice(url.length));
    else if (!/^(data|blob):/.test(address)) complaints.push(`a request to ${address}`);
  });
  await page.goto(url);
  return {
    page,
    complaints,
    fetched,
    call: (name, ...args) => callGlobal(page, 'svcCapture', name, args) as never,
    camera: (name, ...args) => callGlobal(page, 'fakeCamera', name, args),
    close: () => context.close(),
  };
}

/** A photo read from the page, or an error if there is none. */
export function photoOf(taken: PhotoOutside | string | undefined): { bytes: Buffer; width: number; height: number } {
  if (typeof taken !== 'object') throw new Error(`no photo: ${taken}`);
  return { bytes: Buffer.from(taken.base64, 'base64'), width: taken.width, height: taken.height };
}
