import type {} from '@svc/widget';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { markup, PATIENCE_MS, type WidgetHarness } from './harness.ts';
import type { OrganiserPage } from './organiser-site.ts';

/** An event of the widget, as received by the organiser's page. */
export interface Told {
  readonly type: string;
  readonly message: string | null;
  /** `id` of the container. */
  readonly on: string;
  readonly isTrusted: boolean;
}

/** Records the widget's events in the organiser's page, before any of its own scripts runs. */
function noteEvents(): void {
  const scope = globalThis as unknown as { told: Told[]; document: Document };
  scope.told = [];
  for (const name of ['ready', 'enrolled', 'declined', 'error'] as const) {
    scope.document.addEventListener(`svc:${name}`, (event) => {
      const { type, target, isTrusted } = event;
      const { detail } = event as CustomEvent<{ message: string } | null>;
      scope.told.push({ type, message: detail?.message ?? null, on: (target as Element).id, isTrusted });
    });
  }
}

/** An organiser's page in a browser, with the widget. */
export class EmbeddedPage {
  readonly page: Page;
  readonly #harness: WidgetHarness;

  private constructor(page: Page, harness: WidgetHarness) {
    this.page = page;
    this.#harness = harness;
  }

  /** Puts a page on the organiser's site and opens it. Default content: one `<div id="widget">` with a new token. */
  static async open(
    context: BrowserContext,
    harness: WidgetHarness,
    o: Partial<OrganiserPage> & { readonly path?: string } = {},
  ): Promise<EmbeddedPage> {
    const body = o.body ?? withId(markup(harness.widgetUrl, (await harness.token()).token));
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.addInitScript(noteEvents);
    await page.goto(harness.organiser.put(o.path ?? '/ticket', { body, ...(o.headers && { headers: o.headers }) }));
    return new EmbeddedPage(page, harness);
  }

  told(): Promise<readonly Told[]> {
    return this.page.evaluate(() => (globalThis as unknown as { told: Told[] }).told);
  }

  /** Waits until the page has received these events, in this order. */
  async isTold(...types: readonly string[]): Promise<void> {
    const wanted = types.map((type) => `svc:${type}`);
    await vi.waitFor(async () => expect((await this.told()).map(({ type }) => type)).toEqual(wanted), {
      timeout: PATIENCE_MS,
    });
  }

  /** The widget's page in the frame. @throws Error if there is none */
  frame(): Frame {
    const found = this.page.frames().find((frame) => frame.url().startsWith(this.#harness.widgetUrl));
    if (found === undefined) throw new Error('the widget is in no frame');
    return found;
  }

  /** Waits until the frame shows a step. */
  async shows(step: string): Promise<void> {
    const shown = this.page.frameLocator('iframe').locator(`[data-screen="${step}"]`);
    await shown.first().waitFor({ timeout: PATIENCE_MS });
  }

  close(): Promise<void> {
    return this.page.close();
  }
}

/** Markup whose container has an id, to tell its events apart. */
export const withId = (html: string, id = 'widget'): string => html.replace('<div ', `<div id="${id}" `);

/** A new browser profile, so that tests do not affect each other. */
export const newContext = (browser: Browser): Promise<BrowserContext> =>
  browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
