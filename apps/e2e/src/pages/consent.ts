import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import { median } from '@svc/benchmarks/statistics/summary';
import { type Measurement, newContext, spread, withPages } from './measurement.ts';

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
  const context = await newContext(browser, { locale, viewport: { width: 390, height: 844 }, isMobile: true });
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
      await sleep(50);
    }
  } finally {
    await context.close();
  }
}

/**
 * How long after opening a guest link the consent can be used, in a Chromium with its CPU throttled to a quarter on
 * slow 4G, and in one at full speed on the loopback, alternately. Each round is a browser's first visit without caches.
 *
 * Slow 4G is Lighthouse's: 1.6 Mbit/s down, 750 kbit/s up, 150 ms a round trip. Chromium adds the round trip to each
 * request; setting up the connection is not slowed down.
 *
 * `--language TAG`: the browser's. `--against FOLDER`: another built page, visited in turn with this one. The median is
 * at most 1.2 s.
 */
export const measureConsent: Measurement = {
  options: { rounds: '11', language: 'en-GB', against: null },
  run: (browser, given) =>
    withPages(given.text('against'), async (pages) => {
      const rounds = given.count('rounds');
      const locale = given.text('language') ?? '';
      const seen = await Promise.all(
        pages.map(async ({ name, service }) => ({
          name,
          link: await service.guestLink('measured'),
          slow: [] as Visit[],
          fast: [] as Visit[],
        })),
      );
      // Discards a first visit in each browser, which starts the browser's own processes.
      for (let round = -1; round < rounds; round += 1) {
        for (const { link, slow, fast } of seen) {
          const slowed = await visit(browser, { link, locale, isSlow: true });
          const quick = await visit(browser, { link, locale, isSlow: false });
          if (round < 0) continue;
          slow.push(slowed);
          fast.push(quick);
        }
      }
      const times = (visits: readonly Visit[] = []) => visits.map(({ interactiveMs }) => interactiveMs);
      const slowness = median(
        seen.flatMap(({ slow, fast }) => slow.map(({ sumMs }, i) => sumMs / (fast[i]?.sumMs ?? Number.NaN))),
      );
      for (const { name, slow, fast } of seen)
        console.log(
          `${name}, ${locale}: consent usable after ${spread(times(slow), 'ms')} (median, 90 %) on slow 4G, slowed ` +
            `down ${SLOWED}× (a sum takes ${slowness.toFixed(1)}× as long), ${spread(times(fast), 'ms')} at full speed`,
        );
      if (!(slowness > SLOWED / 2)) throw new Error(`the browser was not slowed down: ${slowness.toFixed(1)}×`);
      return median(times(seen.at(-1)?.slow)) <= BAR_MS;
    }),
};
