/**
 * Measures how long after opening a guest link the consent can be used, in a Chromium with its CPU throttled to a
 * quarter on slow 4G, and in one at full speed on the loopback, alternately. Each round is a browser's first visit
 * without caches.
 *
 * Slow 4G is Lighthouse's: 1.6 Mbit/s down, 750 kbit/s up, 150 ms a round trip. Chromium adds the round trip to each
 * request; setting up the connection is not slowed down.
 *
 * `--rounds N`: default 11. `--language TAG`: the browser's, default `en-GB`. `--against FOLDER`: another built page,
 * visited in turn with this one. Exits non-zero if the median is above 1.2 s.
 */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { rankQuantile } from '@svc/benchmarks/statistics/summary';
import type { Browser, Page } from 'playwright-core';
import { type DemoService, startDemoService } from '../demo/service.ts';

const SLOWED = 4;
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
const BAR_MS = 1_200;
/** A page without work for this long has finished starting. */
const QUIET_MS = 500;

/** Times of one visit. */
interface Visit {
  /** From the start of the navigation until the consent is shown and all long tasks of the start are over. */
  readonly interactiveMs: number;
  /** A fixed computation, to show that the browser was throttled. */
  readonly sumMs: number;
}

/** Runs in the page before its own scripts: records when the consent appeared and the last blocking task ended. */
function watchStart(): void {
  const scope = globalThis as unknown as { start: { shownMs: number | null; busyUntilMs: number } };
  scope.start = { shownMs: null, busyUntilMs: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) scope.start.busyUntilMs = startTime + duration;
  }).observe({ type: 'longtask', buffered: true });
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('[data-screen="consent"]') === null) return;
    scope.start.shownMs = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
}

/** Time of the computation in the page. */
function timeSum(): number {
  const startedMs = performance.now();
  let sum = 0;
  for (let i = 1; i < 4_000_000; i += 1) sum += Math.sqrt(i);
  return sum > 0 ? performance.now() - startedMs : 0;
}

/** The consent must work: its boxes are empty, and a click ticks one. */
async function checkConsent(page: Page): Promise<void> {
  const box = page.locator('[name="explicitBiometricConsent"]');
  if (await box.isChecked()) throw new Error('a box is ticked before anybody ticked it');
  await box.click();
  if (!(await box.isChecked())) throw new Error('the consent does not react');
}

interface VisitOptions {
  readonly link: string;
  readonly locale: string;
  readonly isSlow: boolean;
}

async function visit(browser: Browser, { link, locale, isSlow }: VisitOptions): Promise<Visit> {
  const context = await browser.newContext({ locale, viewport: { width: 390, height: 844 }, isMobile: true });
  try {
    await context.addInitScript(watchStart);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    if (isSlow) {
      await session.send('Network.enable');
      await session.send('Network.emulateNetworkConditions', SLOW_4G);
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
    }
    await page.goto(link);
    const read = () =>
      page.evaluate(() => {
        const { start } = globalThis as unknown as { start: { shownMs: number | null; busyUntilMs: number } };
        return { ...start, nowMs: performance.now() };
      });
    for (;;) {
      const { shownMs, busyUntilMs, nowMs } = await read();
      if (shownMs !== null && nowMs - Math.max(shownMs, busyUntilMs) >= QUIET_MS) {
        const sumMs = await page.evaluate(timeSum);
        await checkConsent(page);
        return { interactiveMs: Math.max(shownMs, busyUntilMs), sumMs };
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await context.close();
  }
}

const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b);
const median = (values: readonly number[]): number => rankQuantile(values, 0.5);
const told = (values: readonly number[]): string => {
  const ordered = sorted(values);
  return `${median(values).toFixed(0)} ms (${(ordered[0] ?? 0).toFixed(0)}–${(ordered.at(-1) ?? 0).toFixed(0)})`;
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '11' },
      language: { type: 'string', default: 'en-GB' },
      against: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds);
  const settings = values.against === undefined ? [{}] : [{ SVC_WIDGET_DIR: resolve(values.against) }, {}];
  const services: DemoService[] = [];
  const browser = await launchChromium();
  try {
    for (const setting of settings) services.push(await startDemoService(null, setting));
    const links = await Promise.all(services.map((service) => service.guestLink('measured')));
    const slow: Visit[][] = links.map(() => []);
    const fast: Visit[][] = links.map(() => []);
    // Discards a first visit in each browser, which starts the browser's own processes.
    for (let round = -1; round < rounds; round += 1) {
      for (const [i, link] of links.entries()) {
        const options = { link, locale: values.language };
        const slowed = await visit(browser, { ...options, isSlow: true });
        const quick = await visit(browser, { ...options, isSlow: false });
        if (round < 0) continue;
        slow[i]?.push(slowed);
        fast[i]?.push(quick);
      }
    }
    const ratios = slow.flatMap((visits, i) =>
      visits.map(({ sumMs }, j) => sumMs / (fast[i]?.[j]?.sumMs ?? Number.NaN)),
    );
    const slowness = median(ratios);
    const times = (visits: readonly Visit[] = []) => visits.map(({ interactiveMs }) => interactiveMs);
    for (const i of links.keys()) {
      const name = i < links.length - 1 ? values.against : 'this page';
      process.stdout.write(
        `${name}, ${values.language}: consent usable after ${told(times(slow[i]))} on slow 4G, slowed down ${SLOWED}× ` +
          `(a sum takes ${slowness.toFixed(1)}× as long), ${told(times(fast[i]))} at full speed, ${rounds} rounds\n`,
      );
    }
    if (!(slowness > SLOWED / 2)) throw new Error(`the browser was not slowed down: ${slowness.toFixed(1)}×`);
    if (median(times(slow.at(-1))) > BAR_MS) process.exitCode = 1;
  } finally {
    await browser.close();
    for (const service of services) await service.close();
  }
}

await main();
