import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { bundleGallery, PAGE_POLICY } from '@svc/kiosk/gallery';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium } from '../support/browser.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const sizes = [
  { width: 320, height: 640 },
  { width: 3840, height: 2160 },
] as const;

/** A folder on the loopback, under the kiosk's own policy. */
async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    readFile(join(folder, pathname)).then(
      (body) =>
        response
          .writeHead(200, {
            'content-type': types[extname(pathname)] ?? 'application/octet-stream',
            'content-security-policy': PAGE_POLICY,
          })
          .end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Changes the screen of a page that is open. */
async function show(page: Page, name: string): Promise<void> {
  await page.evaluate((next) => {
    location.hash = next;
  }, name);
  await page.locator(`#app[data-shown="${name}"] main h1`).waitFor();
}

describe.skipIf(chromiumPath === undefined)('every screen', { timeout: 300_000 }, () => {
  let folder: string;
  let server: Server;
  let browser: Browser;
  let address: string;
  let names: readonly string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-screens-'));
    const path = await bundleGallery(folder);
    server = await serve(folder);
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
    browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(address);
    names = ((await page.locator('#app').getAttribute('data-names')) ?? '').split(' ');
    await page.close();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['light', 'dark'])('has nothing that axe finds wanting, in %s', async (theme) => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    const found: string[] = [];
    await page.goto(`${address}?theme=${theme}`);
    // By the debugger, which the page's policy lets evaluate what the page may not.
    await page.evaluate(axe);
    for (const name of names) {
      await show(page, name);
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        }),
      );
      for (const { id, nodes } of violations) found.push(`${name}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    }
    expect(names.length).toBeGreaterThan(30);
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each(sizes)('needs no sideways scrolling at $width × $height, in the longest words', async (viewport) => {
    const page = await browser.newPage({ viewport });
    const wide: string[] = [];
    for (const language of ['de', 'pl'] as const) {
      await page.goto(`${address}?lang=${language}`);
      for (const name of names) {
        await show(page, name);
        const overflow = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          const cut = [...document.querySelectorAll('main button, header button, main p, main h1')].filter(
            (element) => element.getBoundingClientRect().right > clientWidth + 1,
          );
          return scrollWidth > clientWidth || cut.length > 0;
        });
        if (overflow) wide.push(`${language} ${name}`);
      }
    }
    expect(wide).toEqual([]);
    await page.close();
  });

  it('has targets of 24 px and more, and takes the focus to its heading', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    const small: string[] = [];
    await page.goto(address);
    for (const name of names) {
      await show(page, name);
      small.push(
        ...(await page.evaluate(
          (screen) =>
            [...document.querySelectorAll('button, select, input')].flatMap((control) => {
              const { width, height } = control.getBoundingClientRect();
              return width >= 24 && height >= 24 ? [] : [`${screen}: ${control.textContent}`];
            }),
          name,
        )),
      );
      const focused = await page.evaluate(() => document.activeElement?.closest('h1, dialog')?.tagName ?? '');
      expect(focused, name).toMatch(/^(H1|DIALOG)$/);
    }
    expect(small).toEqual([]);
    await page.close();
  });
});
