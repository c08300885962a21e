import type { MadeToken } from '@svc/api/testing';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, BrowserContext, Frame, FrameLocator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { EmbeddedPage, newContext, type Told } from './embedding.ts';
import { screenOf } from './guest.ts';
import { startWidgetHarness, type WidgetHarness } from './harness.ts';
import { type OrganiserSite, startOrganiserSite } from './organiser-site.ts';

/** Whatever a page can say to another: the loader's hello, as anybody can write it. */
export const hello = { svc: 'hello', version: 1 };

/** An organiser who means ill, with a page around the widget, and a stranger's site for its frames and windows. */
export class HostileStage {
  readonly harness: WidgetHarness;
  readonly stranger: OrganiserSite;
  readonly #browser: Browser;
  #context: BrowserContext | null = null;
  #embedded: EmbeddedPage | null = null;
  #made: MadeToken | null = null;

  private constructor(harness: WidgetHarness, stranger: OrganiserSite, browser: Browser) {
    this.harness = harness;
    this.stranger = stranger;
    this.#browser = browser;
  }

  static async start(): Promise<HostileStage> {
    const stranger = await startOrganiserSite();
    stranger.put('/ad', { body: '<p>Buy!</p>' });
    return new HostileStage(await startWidgetHarness(), stranger, await launchChromium());
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.stranger.close();
    await this.harness.close();
  }

  /** A browser that knows nothing of before. */
  async begin(): Promise<void> {
    this.#context = await newContext(this.#browser);
  }

  async end(): Promise<void> {
    await this.#context?.close();
  }

  get context(): BrowserContext {
    return there(this.#context);
  }

  /** The token of the page that was opened last. */
  get made(): MadeToken {
    return there(this.#made);
  }

  container = (token: string): string => `<div id="widget" data-svc-token="${token}"></div>`;

  get loader(): string {
    return `<script src="${this.harness.widgetUrl}widget.js" async></script>`;
  }

  /**
   * Opens the organiser's page, with a fresh token, and waits for the consent.
   * @param more what the page holds before the widget @param o.attributes of the container
   */
  async open(
    more = '',
    o: { readonly headers?: Record<string, string>; readonly isReady?: boolean; readonly attributes?: string } = {},
  ): Promise<void> {
    const made = await this.harness.token();
    this.#made = made;
    const container = this.container(made.token).replace('<div', `<div ${o.attributes ?? ''}`);
    const body = `${more}${container}${this.loader}`;
    this.#embedded = await EmbeddedPage.open(this.context, this.harness, {
      body,
      ...(o.headers && { headers: o.headers }),
    });
    if (o.isReady !== false) await this.isTold('ready');
  }

  page(): Page {
    return there(this.#embedded).page;
  }

  frame(): Frame {
    return there(this.#embedded).frame();
  }

  /** What is in the first frame of the page, whatever it is by then. */
  inFrame(): FrameLocator {
    return this.page().frameLocator('iframe').first();
  }

  told(): Promise<readonly Told[]> {
    return there(this.#embedded).told();
  }

  isTold(...types: readonly string[]): Promise<void> {
    return there(this.#embedded).isTold(...types);
  }

  tokenState(): ReturnType<WidgetHarness['tokenState']> {
    return this.harness.tokenState(this.made.tokenId);
  }

  /** The guest has decided nothing, and nobody has done it for him. */
  async isUntouched(): Promise<void> {
    // Shown or not: a page around may make the frame as small as it likes.
    await screenOf(this.frame(), 'consent').waitFor({ state: 'attached' });
    expect(await this.frame().locator('input:checked').count()).toBe(0);
    expect((await this.told()).map(({ type }) => type)).toEqual(['svc:ready']);
    expect(await this.tokenState()).toMatchObject({ state: 'valid', attemptsLeft: 5 });
    expect(await this.harness.enrolled()).not.toContain(this.made.ticketId);
  }

  /** Has the widget's page count what it is sent from now on, so that a test knows when it has looked at it. */
  async countMessages(): Promise<() => Promise<number>> {
    await this.frame().evaluate(() => {
      const scope = globalThis as unknown as { heard?: number };
      if (scope.heard === undefined) {
        addEventListener('message', () => {
          scope.heard = (scope.heard ?? 0) + 1;
        });
      }
      scope.heard = 0;
    });
    return () => this.frame().evaluate(() => (globalThis as unknown as { heard: number }).heard);
  }
}

function there<T>(thing: T | null): T {
  if (thing === null) throw new Error('nothing was opened');
  return thing;
}
