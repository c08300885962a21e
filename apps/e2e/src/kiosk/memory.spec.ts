import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from '@playwright/test';
import { expect, test } from '../support/browser-test.ts';
import { Films } from '../support/page-camera.ts';
import { rightPerson } from '../support/scenarios.ts';
import { KioskPage } from './kiosk-page.ts';
import { startKioskService } from './kiosk-service.ts';

const ATTEMPTS = Number(process.env.SVC_TEST_KIOSK_ATTEMPTS ?? 20);
/** For the next ticket. */
const WAIT_MS = 20_000;
/** Of the page's process, in MB: a quarter more than was measured. */
const MOST_MB = 500;

interface MemoryEvent {
  readonly pid: number;
  readonly args: { readonly dumps?: { readonly allocators?: Readonly<Record<string, Allocator>> } };
}
interface Allocator {
  readonly attrs?: { readonly effective_size?: { readonly value: string }; readonly size?: { readonly value: string } };
}

/** What Chromium says that a process holds, by allocator, in MB. */
async function partsOf(browser: CDPSession, pid: number): Promise<Readonly<Record<string, number>>> {
  const events: MemoryEvent[] = [];
  browser.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as MemoryEvent[])));
  const includedCategories = ['disabled-by-default-memory-infra'];
  await browser.send('Tracing.start', { traceConfig: { includedCategories, excludedCategories: ['*'] } });
  await browser.send('Tracing.requestMemoryDump', { levelOfDetail: 'detailed' });
  const ended = new Promise((resolve) => browser.once('Tracing.tracingComplete', resolve));
  await browser.send('Tracing.end');
  await ended;
  const allocators = events.find(({ pid: own, args }) => own === pid && args.dumps?.allocators)?.args.dumps?.allocators;
  const sizes = Object.entries(allocators ?? {}).map(([name, { attrs }]) => {
    return [name, Number.parseInt((attrs?.effective_size ?? attrs?.size)?.value ?? '0', 16) / 2 ** 20] as const;
  });
  return Object.fromEntries(sizes.filter(([name, size]) => !name.includes('/') && size >= 1));
}

test('the page stays small while guest after guest comes', { tag: '@long' }, async ({ browser }) => {
  test.skip(!existsSync('/proc/self/status'), 'no /proc');
  test.setTimeout(1_800_000);
  const started = await startKioskService();
  const kiosk = await KioskPage.open(await browser.newContext({ reducedMotion: 'reduce' }), started.url);
  const cdp = await browser.newBrowserCDPSession();
  const megabytes = (pid: number, field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  await kiosk.pair(await started.newToken());
  await kiosk.press('Start check-in');
  const films = new Films();
  const startedMs = Date.now();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    expect((await kiosk.visit(films, rightPerson)).outcome).toBe('Match');
    await kiosk.page.keyboard.press('Enter');
  }
  const attemptMs = (Date.now() - startedMs) / ATTEMPTS;
  await setTimeout(WAIT_MS);
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  const [pid = 0] = renderers.sort((a, b) => megabytes(b, 'VmHWM') - megabytes(a, 'VmHWM'));
  const held = ['VmHWM', 'VmRSS', 'RssFile', 'RssShmem', 'RssAnon'].map(
    (field) => [field, megabytes(pid, field)] as const,
  );
  for (const [part, size] of [...held, ...Object.entries(await partsOf(cdp, pid))]) {
    process.stdout.write(`${size.toFixed(0).padStart(5)} MB  ${part}\n`);
  }
  process.stdout.write(`${attemptMs.toFixed(0)} ms a visit\n`);
  expect(held[0]?.[1]).toBeLessThan(MOST_MB);
  await started.close();
});
