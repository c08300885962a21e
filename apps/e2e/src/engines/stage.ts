import { existsSync } from 'node:fs';
import { freePort, startProxy } from '@svc/api/testing';
import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import { startDashboardService } from '../dashboard/service.ts';
import { startChromium, startFirefox } from './puppeteer.ts';
import type { Engine } from './tab.ts';
import { startWebKit } from './webkit.ts';

const existing = (path: string) => (existsSync(path) ? path : undefined);

/** @returns null where it is not installed */
const startable = (path: string | undefined, start: (path: string) => Promise<Engine>) =>
  path === undefined ? null : () => start(path);

/** As Debian's packages `chromium`, `firefox-esr` and `webkit2gtk-driver` (with `xvfb`) install them. */
export const engines = [
  { name: 'Chromium', start: startable(chromiumPath, startChromium) },
  { name: 'Firefox', start: startable(process.env.SVC_FIREFOX ?? existing('/usr/bin/firefox-esr'), startFirefox) },
  { name: 'WebKitGTK', start: startable(existing('/usr/bin/WebKitWebDriver'), startWebKit) },
];

/** A service with all pages and its own face engine, whose network a test can cut. */
export async function startStage() {
  const port = await freePort();
  let isOnline = true;
  const proxy = await startProxy([`http://127.0.0.1:${port}`], () => isOnline);
  const origin = proxy.url.replace('127.0.0.1', 'localhost');
  const service = await startDashboardService({
    inference: 'models',
    begin: 'now',
    environment: {
      PORT: String(port),
      SVC_DASHBOARD_URL: `${origin}/dashboard/`,
      SVC_KIOSK_URL: `${origin}/kiosk/`,
      SVC_WIDGET_URL: `${origin}/widget`,
    },
  });
  return {
    ...{ ...service, origin },
    setOnline(online: boolean) {
      isOnline = online;
    },
    async close() {
      await proxy.close();
      await service.close();
    },
  };
}
export type Stage = Awaited<ReturnType<typeof startStage>>;
