import { type BrowserContext, expect, type Page } from '@playwright/test';
import { complaintsOf } from '../support/complaints.ts';
import { type Films, installPageCamera, type PageCamera, slowed } from '../support/page-camera.ts';
import type { Scenario } from '../support/scenarios.ts';
import { callGlobal } from '../widget/guest.ts';

/** The result of an attempt, as shown on the screen. */
export interface ShownResult {
  readonly outcome: string;
  readonly advice: string;
  readonly text: string;
  /** Pictures of a camera that are to be seen beside it. */
  readonly pictures: number;
}

const advice: Readonly<Record<string, string>> = { Match: 'let-in', NotEnrolled: 'standard-check-in' };

/** Checks a result screen: the outcome's advice, no trace of the ticket, and no picture of the person. */
export function expectResult(shown: ShownResult, { scannedId, mustBe }: Pick<Scenario, 'scannedId' | 'mustBe'>): void {
  expect(mustBe).toContain(shown.outcome);
  expect(shown.advice).toBe(advice[shown.outcome] ?? 'call-staff');
  expect(shown.text).not.toContain(scannedId);
  // The picture of the person is gone; the camera may look for the next ticket, unseen.
  expect(shown.pictures).toBe(0);
}

/** What the pages of the tests are paired with. */
export const PIN = '271828';

/** Slow machines load models slowly; the attempt itself has its own window of ten seconds. */
const PATIENCE_MS = 90_000;

/** Runs in the page: a code reader's keys, all at the same moment, however busy the machine is. */
export function typeCode(code: string): void {
  const timeStamp = performance.now();
  for (const key of [...code, 'Enter']) {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
    Object.defineProperty(event, 'timeStamp', { value: timeStamp });
    (document.activeElement ?? document.body).dispatchEvent(event);
  }
}

/** Runs in the page. @returns null while no result is shown */
export function readResult(): ShownResult | null {
  const shown = document.querySelector<HTMLElement>('[data-outcome]');
  if (shown === null) return null;
  const { outcome = '', advice = '' } = shown.dataset;
  const videos = [...document.querySelectorAll('video')];
  const seen = videos.filter((video) => video.closest('.svc-visually-hidden') === null);
  const pictures = seen.length + document.querySelectorAll('.live-picture').length;
  return { outcome, advice, text: document.body.textContent ?? '', pictures };
}

/** The kiosk in a browser, used with keys, a keyboard-like code reader and a camera. */
export class KioskPage {
  readonly page: Page;
  readonly complaints: readonly string[];

  private constructor(page: Page, origin: string) {
    this.page = page;
    this.complaints = complaintsOf(page, origin);
  }

  /**
   * @param o.camera by default a virtual one that shows the visitor of {@link show}
   * @param o.link that pairs; default: the page's address
   */
  static async open(
    context: BrowserContext,
    origin: string,
    o: { readonly camera?: 'virtual' | 'of-the-browser'; readonly link?: string } = {},
  ): Promise<KioskPage> {
    if (o.camera !== 'of-the-browser') await context.addInitScript(installPageCamera, {});
    await slowed(context, 2);
    const kiosk = new KioskPage(await context.newPage(), origin);
    await kiosk.page.goto(o.link ?? `${origin}/kiosk/`);
    return kiosk;
  }

  /** Types the token, says that it is the right list, and sets the PIN. */
  async pair(deviceToken: string): Promise<void> {
    await this.screen('pair');
    await this.page.getByLabel('Device token').focus();
    await this.page.keyboard.insertText(deviceToken);
    await this.page.keyboard.press('Enter');
    await this.confirm();
  }

  /** Declares staff supervision if the page lacks the passive check. @returns organiser, event and list, as shown */
  async isFetched(): Promise<readonly string[]> {
    await this.page.locator('[data-screen="stopped"], [data-screen="confirm"]').waitFor({ timeout: PATIENCE_MS });
    if ((await this.page.locator('[data-screen="stopped"]').count()) > 0)
      await this.press('Confirm: staff watch every attempt');
    await this.screen('confirm');
    await this.page.getByRole('button', { name: 'Set a PIN' }).waitFor({ timeout: PATIENCE_MS });
    return this.page.locator('.svc-facts dd').allTextContents();
  }

  async confirm(): Promise<void> {
    await this.isFetched();
    await this.press('Set a PIN');
    for (const field of ['New PIN', 'Repeat the PIN']) {
      await this.page.getByLabel(field).fill(PIN);
      await this.page.getByLabel(field).press('Enter');
    }
    await this.screen('device');
    await this.page.getByText('Ready for guests').waitFor({ timeout: PATIENCE_MS });
  }

  async enterPin(pin: string): Promise<void> {
    await this.screen('pin');
    await this.page.getByLabel('Staff PIN').fill(pin);
    await this.page.getByLabel('Staff PIN').press('Enter');
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

  show = (...given: Parameters<PageCamera['show']>) => callGlobal(this.page, 'camera', 'show', given);
  hold = (...given: Parameters<PageCamera['hold']>) => callGlobal(this.page, 'camera', 'hold', given);

  /** A visitor comes to the door and the ticket is scanned. @returns the result screen's text; the screen stays */
  async visit(films: Films, { visitor, scannedId }: Scenario): Promise<ShownResult> {
    const film = await films.of(visitor);
    await this.screen('scan');
    await this.show(film);
    await this.scan(scannedId);
    return this.result();
  }

  /** Moves by Tab to the control of this name, as a keyboard user does, and presses it. */
  async press(name: string): Promise<void> {
    const { keyboard } = this.page;
    const named = () =>
      this.page.evaluate(() => {
        const focused = document.activeElement;
        return focused instanceof HTMLButtonElement ? (focused.textContent ?? '').trim().replaceAll('‑', '-') : '';
      });
    for (let presses = 0; presses < 30; presses += 1) {
      if ((await named()) === name) return keyboard.press('Enter');
      await keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not lead to “${name}”`);
  }

  /** A code reader. */
  async scan(code: string): Promise<void> {
    await this.page.evaluate(typeCode, code);
  }

  /** Waits for a result, and reads it at once: it leaves the screen by itself. */
  async result(): Promise<ShownResult> {
    const read = await this.page.waitForFunction(readResult, undefined, { timeout: PATIENCE_MS });
    return (await read.jsonValue()) as ShownResult;
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
