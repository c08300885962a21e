import type { Browser, BrowserContext, BrowserContextOptions } from '@playwright/test';
import { quantile } from '@svc/benchmarks/statistics/summary';
import { type DemoService, startDemoService } from '../demo/service.ts';

/** What is measured of a page, on this machine and in Chromium. */
export interface Measurement {
  /** Options of the command line with their defaults; null: none. */
  readonly options: Readonly<Record<string, string | null>>;
  /** Prints what was found. @returns whether everything is within its bars */
  run(browser: Browser, given: Given): Promise<boolean>;
}

/** The options as they were given. */
export interface Given {
  text(name: string): string | undefined;
  /** @throws Error for anything but a whole number from `least` on */
  count(name: string, least?: number): number;
}

export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  // tsx wraps nested functions in this helper, which pages lack.
  await context.addInitScript('globalThis.__name = (value) => value');
  return context;
}

/** Works with a service, which is closed in any case. */
export async function withService<T>(
  work: (service: DemoService) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const service = await startDemoService(null, settings);
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

/** Works with a service for each built page of the widget: this one last, before it another one if one is given. */
export async function withPages<T>(
  against: string | undefined,
  work: (pages: readonly { readonly name: string; readonly service: DemoService }[]) => Promise<T>,
): Promise<T> {
  return withService(async (service) => {
    const own = { name: 'this page', service };
    if (against === undefined) return work([own]);
    return withService((other) => work([{ name: against, service: other }, own]), { SVC_WIDGET_DIR: against });
  });
}

/** Median and 90 % quantile of values that are `unit` each. */
export const spread = (values: readonly number[], unit: string, digits = 0): string =>
  [0.5, 0.9].map((share) => `${quantile(values, share).toFixed(digits)} ${unit}`).join(' and ');
