/**
 * Measures how long after opening a guest link the consent can be used, in a Chromium with its CPU throttled to a
 * quarter and in one at full speed, alternately. Each round is a browser's first visit without caches; the service runs
 * on the loopback, so network time is not included. `--rounds N`, default 11. Exits non-zero if the median is above a
 * second.
 */

import { parseArgs } from 'node:util';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { rankQuantile } from '@svc/benchmarks/statistics/summary';
import type { Browser, Page } from 'playwright-core';
import { startDemoService } from '../demo/service.ts';

const SLOWED = 4;
const BAR_MS = 1_000;
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

async function visit(browser: Browser, link: string, slowed: number): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 390, height: 844 }, isMobile: true });
  try {
    await context.addInitScript(watchStart);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowed });
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
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '11' } } });
  const rounds = Number(values.rounds);
  const service = await startDemoService(null);
  const browser = await launchChromium();
  try {
    const link = await service.guestLink('measured');
    const slow: Visit[] = [];
    const fast: Visit[] = [];
    // Discards a first visit in each browser, which starts the browser's own processes.
    for (let round = -1; round < rounds; round += 1) {
      const pair = [await visit(browser, link, SLOWED), await visit(browser, link, 1)] as const;
      if (round < 0) continue;
      slow.push(pair[0]);
      fast.push(pair[1]);
    }
    const slowness = median(slow.map(({ sumMs }, i) => sumMs / (fast[i]?.sumMs ?? Number.NaN)));
    if (!(slowness > SLOWED / 2)) throw new Error(`the browser was not slowed down: ${slowness.toFixed(1)}×`);
    const interactive = slow.map(({ interactiveMs }) => interactiveMs);
    process.stdout.write(
      `consent usable: ${told(interactive)} slowed down ${SLOWED}× (a sum takes ${slowness.toFixed(1)}× as long), ` +
        `${told(fast.map(({ interactiveMs }) => interactiveMs))} at full speed, ${rounds} rounds\n`,
    );
    if (median(interactive) > BAR_MS) process.exitCode = 1;
  } finally {
    await browser.close();
    await service.close();
  }
}

await main();
