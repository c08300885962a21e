import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type FakeCamera, type FakeCameraOptions, installFakeCamera } from './fake-camera.ts';
import { callGlobal, noisePhoto, screenOf } from './guest.ts';
import { PATIENCE_MS, type WidgetHarness } from './harness.ts';

/** A phone, in everything that matters here. */
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 1,
  isMobile: true,
  hasTouch: true,
};

export interface OpenOptions extends BrowserContextOptions {
  readonly camera?: FakeCameraOptions;
  /** The browser is told to save data, so nothing is fetched ahead. */
  readonly savesData?: boolean;
  /** Appended to the token in the link's fragment. */
  readonly settings?: string;
}

/** A guest link in a separate browser, with a camera that needs no good picture. */
export class GuestTab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Unexpected errors, refused scripts, and requests to other hosts. */
  readonly complaints: string[] = [];
  /** Paths of all requests since the tab was opened. */
  readonly requested: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
  }

  static async open(
    browser: Browser,
    harness: WidgetHarness,
    token: string,
    { camera = {}, settings = '', savesData = false, ...options }: OpenOptions = {},
  ): Promise<GuestTab> {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
    await context.addInitScript(installFakeCamera, camera);
    if (savesData) {
      await context.addInitScript(() =>
        Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true }),
      );
    }
    // The engine has its own tests; here the shutter is pressed by hand, as without an engine.
    await context.route('**/assets/engine-*/**', (route) => route.abort());
    const tab = new GuestTab(context, await context.newPage());
    tab.watch(harness);
    tab.page.setDefaultTimeout(PATIENCE_MS);
    await tab.page.goto(harness.guestLink(token) + settings);
    return tab;
  }

  private watch(harness: WidgetHarness): void {
    this.page.on('pageerror', (error) => this.complaints.push(error.message));
    this.page.on('console', (message) => {
      // Refused or aborted requests are reported as errors by the browser.
      const isPlanned = /net::ERR_|the server responded with a status of/.test(message.text());
      if (message.type() === 'error' && !isPlanned) this.complaints.push(message.text());
    });
    this.page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      this.requested.push(pathname);
      if (origin !== new URL(harness.widgetUrl).origin) this.complaints.push(`a request to ${request.url()}`);
    });
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
    await this.camera('show', (await noisePhoto()).buffer.toString('base64'));
    await this.press('Take photo');
    await this.shows('check');
  }

  camera<Name extends keyof FakeCamera>(name: Name, ...args: Parameters<FakeCamera[Name]>): Promise<unknown> {
    return callGlobal(this.page, 'fakeCamera', name, args);
  }

  /** Everything that a page can store in a browser. */
  left(): Promise<unknown> {
    return this.page.evaluate(async () => ({
      local: Object.keys(localStorage),
      session: Object.keys(sessionStorage),
      cookies: document.cookie,
      databases: (await indexedDB.databases()).map(({ name }) => name),
      caches: await caches.keys(),
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      state: history.state as unknown,
      name: window.name,
    }));
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** Result of {@link GuestTab.left} if a page stores nothing. */
export const nothing = {
  local: [],
  session: [],
  cookies: '',
  databases: [],
  caches: [],
  workers: 0,
  state: { svc: 'over', ticks: null },
  name: '',
};
