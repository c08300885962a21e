import { launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { agree, choosePhoto, noisePhoto } from './guest.ts';
import { GuestTab, type OpenOptions } from './guest-tab.ts';
import { startWidgetHarness, type WidgetHarness } from './harness.ts';
import type { PhotoOutcome, ScriptedInference } from './scripted-inference.ts';

/** The built page, a service whose photo results a test sets, and guests with separate browser profiles. */
export class GuestStage {
  readonly harness: WidgetHarness;
  readonly browser: Browser;
  readonly #tabs: GuestTab[] = [];

  private constructor(harness: WidgetHarness, browser: Browser) {
    this.harness = harness;
    this.browser = browser;
  }

  static async start(): Promise<GuestStage> {
    return new GuestStage(await startWidgetHarness(), await launchChromium());
  }

  get inference(): ScriptedInference {
    if (this.harness.inference === null) throw new Error('nothing is scripted');
    return this.harness.inference;
  }

  /** Photo results until the test's end, in order; the last one is repeated. */
  photosAre(...outcomes: PhotoOutcome[]): void {
    this.inference.outcomes = outcomes;
  }

  /** Opens a guest link. */
  async open(token: string, options: OpenOptions = {}): Promise<GuestTab> {
    const tab = await GuestTab.open(this.browser, this.harness, token, options);
    this.#tabs.push(tab);
    return tab;
  }

  /** Opens a new link and waits for the consent. */
  async atConsent(options: OpenOptions = {}): Promise<GuestTab> {
    const tab = await this.open((await this.harness.token()).token, options);
    await tab.shows('consent');
    return tab;
  }

  /** Opens a new link and continues until a photo can be sent. */
  async atCheck(token: string): Promise<GuestTab> {
    const tab = await this.open(token);
    await agree(tab.page);
    await choosePhoto(tab.page, await noisePhoto());
    return tab;
  }

  /** Closes everything that a test opened. Fails if a page reported an error. */
  async endTest(): Promise<void> {
    this.inference.hold = null;
    this.photosAre('enrolled');
    const complaints: string[] = [];
    for (const tab of this.#tabs.splice(0)) {
      complaints.push(...tab.complaints);
      await tab.close();
    }
    expect(complaints).toEqual([]);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.harness.close();
  }
}
