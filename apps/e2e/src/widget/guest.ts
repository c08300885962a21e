import { randomFillSync } from 'node:crypto';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  expect,
  type Frame,
  type FrameLocator,
  type Page,
} from '@playwright/test';
import sharp from 'sharp';
import { complaintsOf } from '../support/complaints.ts';
import { installPageCamera, type PageCamera, type PageCameraOptions, still } from '../support/page-camera.ts';
import type { WidgetService } from './stage.ts';

/** The widget's page, in a frame or at top level, in English. */
export type GuestView = Page | Frame | FrameLocator;

/** A unique picture of noise as a file, for tests that set the result of a photo. */
export async function noisePhoto(): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const [width, height] = [80, 60];
  const pixels = randomFillSync(Buffer.alloc(width * height * 3));
  const buffer = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .resize(8 * width, 8 * height, { kernel: 'nearest' })
    .jpeg({ quality: 95 })
    .toBuffer();
  return { name: 'selfie.jpg', mimeType: 'image/jpeg', buffer };
}

export const screenOf = (view: GuestView, name: string) => view.locator(`[data-screen="${name}"]`);

/** Ticks the required boxes and continues to the camera. */
export async function agree(view: GuestView): Promise<void> {
  // A press in a step's first half second is ignored.
  await view.locator('#app:not([data-fresh])').waitFor({ state: 'attached' });
  await view.locator('[name="explicitBiometricConsent"]').check();
  await view.locator('[name="writtenRelease"]').check();
  await view.getByRole('button', { name: 'I agree, continue' }).click();
  await screenOf(view, 'camera').waitFor();
}

/** Chooses a file instead of taking a photo, up to the check. */
export async function choosePhoto(view: GuestView, file?: Awaited<ReturnType<typeof noisePhoto>>): Promise<void> {
  await view.locator('input[type="file"]').setInputFiles(file ?? (await noisePhoto()));
  await screenOf(view, 'check').waitFor();
}

/** Sends the photo, whatever the page thinks of it. */
export const sendPhoto = (view: GuestView): Promise<void> =>
  view.getByRole('button', { name: /^(Send photo|Send it anyway)$/ }).click();

/** The whole flow, with a photo from a file. */
export async function enrolByFile(view: GuestView): Promise<void> {
  await agree(view);
  await choosePhoto(view);
  await sendPhoto(view);
  await screenOf(view, 'done').waitFor();
}

export const DECLINE = 'No thanks, I will use the standard entrance';
/** Declines by the wording's own button. */
export const decline = (view: GuestView): Promise<void> => view.getByRole('button', { name: DECLINE }).click();

/** Calls a function that one of our scripts put into a page, by its global's name. */
export function callGlobal(at: Page | Frame, owner: string, name: string, args: readonly unknown[]): Promise<unknown> {
  return at.evaluate(
    ([held, called, given]) => {
      const scope = globalThis as unknown as Record<string, Record<string, (...all: unknown[]) => unknown>>;
      return scope[held]?.[called]?.(...given);
    },
    [owner, name, args] as const,
  );
}

/** A phone, in everything that matters here. */
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 1,
  isMobile: true,
  hasTouch: true,
};

interface OpenOptions extends BrowserContextOptions {
  readonly camera?: PageCameraOptions;
  /** Appended to the token in the link's fragment. */
  readonly settings?: string;
}

/** A guest link in a separate browser, with a camera that needs no good picture. */
export class GuestTab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Unexpected errors, refused scripts, and requests to other hosts. */
  readonly complaints: readonly string[];
  /** Method and path of all requests since the tab was opened. */
  readonly requested: string[] = [];

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.context = context;
    this.page = page;
    this.complaints = complaintsOf(page, origin);
    page.on('request', (request) => {
      this.requested.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
  }

  static async open(
    browser: Browser,
    service: WidgetService,
    token: string,
    { camera = {}, settings = '', ...options }: OpenOptions,
  ): Promise<GuestTab> {
    const context = await browser.newContext(options);
    await context.addInitScript(installPageCamera, camera);
    // The engine has its own tests; here the shutter is pressed by hand, as without an engine.
    await context.route('**/assets/engine-*/**', (route) => route.abort());
    const tab = new GuestTab(context, await context.newPage(), new URL(service.widgetUrl).origin);
    await tab.page.goto(service.guestLink(token) + settings);
    return tab;
  }

  /** Waits until a step is shown. */
  shows(step: string): Promise<void> {
    return screenOf(this.page, step).waitFor();
  }

  says(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }

  press(name: string | RegExp): Promise<void> {
    return this.page.getByRole('button', { name }).click();
  }

  /** Sets the camera's picture and presses the shutter. */
  async photograph(): Promise<void> {
    await this.camera('show', still((await noisePhoto()).buffer.toString('base64')));
    await this.press('Take photo');
    await this.shows('check');
  }

  camera<Name extends keyof PageCamera>(name: Name, ...args: Parameters<PageCamera[Name]>): Promise<unknown> {
    return callGlobal(this.page, 'camera', name, args);
  }

  /** Waits until the page holds nothing in the browser. */
  leavesNothing(): Promise<void> {
    const left = () =>
      this.page.evaluate(async () => ({
        local: Object.keys(localStorage),
        session: Object.keys(sessionStorage),
        cookies: document.cookie,
        databases: (await indexedDB.databases()).map(({ name }) => name),
        caches: await caches.keys(),
        workers: (await navigator.serviceWorker.getRegistrations()).length,
        isOver: /^{"svc":"over"(?!.*(svce_|wordingSha256))/.test(JSON.stringify(history.state)),
        name: window.name,
      }));
    const none = { local: [], session: [], cookies: '', databases: [], caches: [], workers: 0, isOver: true, name: '' };
    // The page goes back to its first entry, which takes the browser a while.
    return expect.poll(left).toEqual(none);
  }
}

/** Guests with separate browser profiles. */
export function guestsOf(service: WidgetService, browser: Browser) {
  const tabs: GuestTab[] = [];
  const open = async (token: string, options: OpenOptions = {}): Promise<GuestTab> => {
    const tab = await GuestTab.open(browser, service, token, options);
    tabs.push(tab);
    return tab;
  };
  return {
    /** Opens a guest link. */
    open,
    /** Opens a new link and waits for the consent. */
    async atConsent(options: OpenOptions = {}): Promise<GuestTab> {
      const tab = await open((await service.token()).token, options);
      await tab.shows('consent');
      return tab;
    },
    /** Closes everything that a test opened. Fails if a page reported an error. */
    async end(): Promise<void> {
      service.inference.outcomes = ['enrolled'];
      const complaints = tabs.flatMap((tab) => tab.complaints);
      for (const tab of tabs) await tab.context.close();
      expect(complaints).toEqual([]);
    },
  };
}
