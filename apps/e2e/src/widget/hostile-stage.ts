import type { MadeToken } from '@svc/api/testing';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, BrowserContext, Frame, FrameLocator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { EmbeddedPage, newContext, type Told } from './embedding.ts';
import { screenOf } from './guest.ts';
import { startWidgetHarness, type WidgetHarness } from './harness.ts';
import { type OrganiserSite, startOrganiserSite } from './organiser-site.ts';

/** The loader's hello, which any page can send. */
export const hello = { svc: 'hello', version: 1 };

/** A hostile organiser with a page around the widget, and a stranger's site for frames and windows. */
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

  /** A browser with a new profile. */
  async begin(): Promise<void> {
    this.#context = await newContext(this.#browser);
  }

  async end(): Promise<void> {
    await this.#context?.close();
  }

  get context(): BrowserContext {
    return there(this.#context);
  }

  /** The token of the last opened page. */
  get made(): MadeToken {
    return there(this.#made);
  }

  container = (token: string): string => `<div id="widget" data-svc-token="${token}"></div>`;

  get loader(): string {
    return `<script src="${this.harness.widgetUrl}widget.js" async></script>`;
  }

  /**
   * Opens the organiser's page with a new token, and waits for the consent.
   * @param more markup before the widget @param o.attributes of the container
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

  /** The current content of the page's first frame. */
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

  /** Nothing was decided in the guest's name. */
  async isUntouched(): Promise<void> {
    // Whether visible or not: the page around may make the frame tiny.
    await screenOf(this.frame(), 'consent').waitFor({ state: 'attached' });
    expect(await this.frame().locator('input:checked').count()).toBe(0);
    expect((await this.told()).map(({ type }) => type)).toEqual(['svc:ready']);
    expect(await this.tokenState()).toMatchObject({ state: 'valid', attemptsLeft: 5 });
    expect(await this.harness.enrolled()).not.toContain(this.made.ticketId);
  }

  /** Makes the widget's page count incoming messages, so that a test knows when they were handled. */
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
