import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from '@playwright/test';
import { type Film, installVirtualCamera, type VirtualCamera } from './virtual-camera.ts';

/** The result of an attempt, as shown on the screen. */
export interface ShownResult {
  readonly outcome: string;
  readonly advice: string;
  readonly text: string;
  /** Pictures of a camera that are to be seen beside it. */
  readonly pictures: number;
}

/** Slow machines load models slowly; the attempt itself has its own window of ten seconds. */
const PATIENCE_MS = 90_000;

/**
 * A copy of the built page, which a test may change as a release would.
 * @throws Error if the page was not built; the tests' npm script builds it first
 */
export async function copyBuiltKiosk(to: string): Promise<void> {
  const dist = join(dirname(fileURLToPath(import.meta.url)), '../../../kiosk/dist');
  if (!existsSync(join(dist, 'site.json'))) throw new Error('build the kiosk first: npm run build in apps/kiosk');
  await cp(dist, to, { recursive: true });
}

/** The kiosk in a browser, used with keys, a keyboard-like code reader and a camera. */
export class KioskPage {
  readonly page: Page;
  /** Browser reports that must not occur: errors, refused scripts, requests to other hosts. */
  readonly complaints: string[] = [];

  private constructor(page: Page, origin: string) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      // A request without a network is reported as an error by the browser.
      if (message.type() === 'error' && !message.text().includes('net::ERR_')) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url())) {
        this.complaints.push(`a request to ${request.url()}`);
      }
    });
  }

  /** @param o.camera by default a virtual one that shows the visitor of {@link show} */
  static async open(
    context: BrowserContext,
    origin: string,
    o: { readonly camera?: 'virtual' | 'of-the-browser' } = {},
  ): Promise<KioskPage> {
    if (o.camera !== 'of-the-browser') await context.addInitScript(installVirtualCamera);
    const kiosk = new KioskPage(await context.newPage(), origin);
    await kiosk.page.goto(`${origin}/kiosk/`);
    return kiosk;
  }

  /** Types the token, declares staff supervision if the page lacks the passive check, and waits for the list. */
  async pair(deviceToken: string): Promise<void> {
    await this.screen('pair');
    await this.page.getByLabel('Device token').focus();
    await this.page.keyboard.insertText(deviceToken);
    await this.page.keyboard.press('Enter');
    await this.page.locator('[data-screen="stopped"], [data-screen="device"]').waitFor({ timeout: PATIENCE_MS });
    if ((await this.page.locator('[data-screen="stopped"]').count()) > 0) await this.press('Staff watch every attempt');
    await this.screen('device');
    await this.page.getByText('Ready for guests').waitFor({ timeout: PATIENCE_MS });
  }

  /**
   * Waits until a screen is there and has taken the focus: its heading does so once it is painted, and the field of a PIN
   * after that. A key that is pressed before would go elsewhere.
   */
  async screen(name: string): Promise<void> {
    await this.page.locator(`[data-screen="${name}"]`).waitFor({ timeout: PATIENCE_MS });
    await this.page.waitForFunction(
      (isField) => document.activeElement?.matches(isField ? 'input' : ':not(body)'),
      name === 'pin',
      { timeout: PATIENCE_MS },
    );
  }

  async show(film: Film): Promise<void> {
    await this.page.evaluate((shown) => (globalThis as unknown as { camera: VirtualCamera }).camera.show(shown), film);
  }

  async hold(ticketBase64: string | null): Promise<void> {
    await this.page.evaluate(
      (held) => (globalThis as unknown as { camera: VirtualCamera }).camera.hold(held),
      ticketBase64,
    );
  }

  async unplugCamera(): Promise<void> {
    await this.page.evaluate(() => (globalThis as unknown as { camera: VirtualCamera }).camera.unplug());
  }

  /** Moves by Tab to the control of this name, as a keyboard user does, and presses it. */
  async press(name: string): Promise<void> {
    const { keyboard } = this.page;
    const named = () =>
      this.page.evaluate(() => {
        const focused = document.activeElement;
        return focused instanceof HTMLButtonElement ? (focused.textContent ?? '').trim() : '';
      });
    for (let presses = 0; presses < 30; presses += 1) {
      if ((await named()) === name) return keyboard.press('Enter');
      await keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not lead to «${name}»`);
  }

  /** A code reader: all keys at the same moment, however busy the machine is. */
  async scan(code: string): Promise<void> {
    await this.page.evaluate((text) => {
      const timeStamp = performance.now();
      for (const key of [...text, 'Enter']) {
        const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
        Object.defineProperty(event, 'timeStamp', { value: timeStamp });
        (document.activeElement ?? document.body).dispatchEvent(event);
      }
    }, code);
  }

  /** Waits for a result, and reads it at once: it leaves the screen by itself. */
  async result(): Promise<ShownResult> {
    const read = await this.page.waitForFunction(
      () => {
        const shown = document.querySelector<HTMLElement>('[data-outcome]');
        if (shown === null) return null;
        const { outcome = '', advice = '' } = shown.dataset;
        const videos = [...document.querySelectorAll('video')];
        const seen = videos.filter((video) => video.closest('.svc-visually-hidden') === null);
        const pictures = seen.length + document.querySelectorAll('.live-picture').length;
        return { outcome, advice, text: document.body.textContent ?? '', pictures };
      },
      undefined,
      { timeout: PATIENCE_MS },
    );
    return (await read.jsonValue()) as ShownResult;
  }

  /** Notes each screen from now on, however short. @returns their names so far */
  async noteScreens(): Promise<() => Promise<readonly string[]>> {
    const notes = await this.page.evaluateHandle(() => {
      const names: string[] = [];
      new MutationObserver((changes) => {
        for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
          if (node instanceof HTMLElement && node.dataset.screen !== undefined) names.push(node.dataset.screen);
      }).observe(document.body, { subtree: true, childList: true });
      return names;
    });
    return () => notes.jsonValue();
  }

  /** Sets a marker in the page that a reload removes. */
  async mark(): Promise<void> {
    await this.page.evaluate(() => Object.assign(globalThis, { isMarked: true }));
  }

  isMarked(): Promise<boolean> {
    return this.page.evaluate(() => 'isMarked' in globalThis);
  }

  /** Makes the browser check for a new version of the page, and waits until it is fetched. */
  async fetchUpdate(): Promise<void> {
    await this.page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const { installing } = await registration.update();
      if (installing === null) return;
      await new Promise<void>((resolve) => {
        installing.addEventListener('statechange', () => resolve(), { once: true });
      });
    });
  }

  /** Resolves when every file of the page is stored in the browser and served from there. */
  async isOfflineReady(): Promise<void> {
    await this.page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, {
      timeout: PATIENCE_MS,
    });
  }
}
