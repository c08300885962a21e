import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
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
  const most = megabytes(pid, 'VmHWM');
  process.stdout.write(`${megabytes(pid, 'VmRSS').toFixed(0)} MB, at the most ${most.toFixed(0)} MB\n`);
  process.stdout.write(`${attemptMs.toFixed(0)} ms a visit\n`);
  expect(most).toBeLessThan(MOST_MB);
  await started.close();
});
