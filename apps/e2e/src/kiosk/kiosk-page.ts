import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { type Film, installVirtualCamera, type VirtualCamera } from './virtual-camera.ts';

/** What came of an attempt, as the screen has it. */
export interface ShownResult {
  readonly outcome: string;
  readonly advice: string;
  readonly text: string;
}

/** Slow machines load models slowly; the window of ten seconds is the attempt's own. */
const PATIENCE_MS = 90_000;

/**
 * A deployment's own copy of the built page, which a test may change as a release would.
 * @throws Error where the page was not built, which the tests' own command does first
 */
export async function copyBuiltKiosk(to: string): Promise<void> {
  const dist = join(dirname(fileURLToPath(import.meta.url)), '../../../kiosk/dist');
  if (!existsSync(join(dist, 'site.json'))) throw new Error('build the kiosk first: npm run build in apps/kiosk');
  await cp(dist, to, { recursive: true });
}

/** The kiosk in a browser, used as people use it: by keys, by a reader that types, by standing before its camera. */
export class KioskPage {
  readonly page: Page;
  /** What the browser reports that should not be: errors, refused scripts, requests to elsewhere. */
  readonly complaints: string[] = [];

  private constructor(page: Page, origin: string) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      // A request that finds no network says so by itself.
      if (message.type() === 'error' && !message.text().includes('net::ERR_')) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url())) {
        this.complaints.push(`a request to ${request.url()}`);
      }
    });
  }

  /** @param o.camera by default a virtual one, before which {@link show} puts people */
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

  /** Types the token, takes the word of staff where the page lacks the passive check, and waits for the list. */
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

  /** Waits until a screen is there. */
  async screen(name: string): Promise<void> {
    await this.page.locator(`[data-screen="${name}"]`).waitFor({ timeout: PATIENCE_MS });
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

  /** Goes on by Tab to the control of this name, as somebody without a mouse does, and presses it. */
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

  /** A reader that types: all keys within a millisecond, whatever the machine is busy with. */
  async scan(code: string): Promise<void> {
    await this.page.evaluate((text) => {
      for (const key of [...text, 'Enter']) {
        const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
        (document.activeElement ?? document.body).dispatchEvent(event);
      }
    }, code);
  }

  async result(): Promise<ShownResult> {
    const words = this.page.locator('[data-outcome]');
    await words.waitFor({ timeout: PATIENCE_MS });
    return this.page.evaluate(() => {
      const shown = document.querySelector<HTMLElement>('[data-outcome]');
      const { outcome = '', advice = '' } = shown?.dataset ?? {};
      return { outcome, advice, text: document.body.textContent ?? '' };
    });
  }

  /** Leaves a mark that is gone once the page was loaded anew. */
  async mark(): Promise<void> {
    await this.page.evaluate(() => Object.assign(globalThis, { isMarked: true }));
  }

  isMarked(): Promise<boolean> {
    return this.page.evaluate(() => 'isMarked' in globalThis);
  }

  /** Has the browser look for another version of the page now, and waits until it has been fetched. */
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

  /** Every file of the page lies in the browser, and the page is served from there. */
  async isOfflineReady(): Promise<void> {
    await this.page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, {
      timeout: PATIENCE_MS,
    });
  }
}
