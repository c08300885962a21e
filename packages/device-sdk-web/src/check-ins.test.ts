import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { devicePage, findChromium, startTestSite, type TestSite } from './testing/test-site.ts';

const executablePath = findChromium();

/** What docs/webhooks.md tells an organiser to answer. */
const preflightAnswer = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-headers': 'content-type, webhook-id, webhook-timestamp, webhook-signature',
  'access-control-max-age': '86400',
});

describe.skipIf(executablePath === null)('a check-in from a page to another origin', () => {
  const asked: { method: string; headers: IncomingMessage['headers'] }[] = [];
  let receiver: Server;
  let receiverUrl = '';
  let site: TestSite;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    receiver = createServer(({ method = '', url = '', headers }, response) => {
      asked.push({ method, headers });
      const { origin } = new URL(site.url);
      if (url === '/silent') return void response.writeHead(204).end();
      if (method === 'OPTIONS') return void response.writeHead(204, preflightAnswer(origin)).end();
      if (url === '/half') return void response.writeHead(204).end();
      if (url === '/redirect') response.setHeader('location', '/');
      response.writeHead(url === '/redirect' ? 307 : 204, { 'access-control-allow-origin': origin }).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const entry = new URL('./testing/page.ts', import.meta.url);
    site = await startTestSite({ parts: [await devicePage(entry, [receiverUrl])] });
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage();
    await page.goto(site.url);
    await page.context().addCookies([{ name: 'secret', value: '1', url: receiverUrl }]);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    receiver?.closeAllConnections();
    await new Promise((resolve) => receiver?.close(resolve));
  });
  beforeEach(() => void asked.splice(0));

  const post = (path: string) => page.evaluate((url) => svcPage.post(url), `${receiverUrl}${path}`);

  it('arrives after a preflight, without cookies or referrer', async () => {
    expect(await post('/')).toBe(204);
    expect(asked.map(({ method }) => method)).toEqual(['OPTIONS', 'POST']);
    const headers: IncomingMessage['headers'] = asked[1]?.headers ?? {};
    expect(headers).toMatchObject({ 'webhook-id': 'chk_1', 'content-type': 'application/json' });
    expect([headers.cookie, headers.referer]).toEqual([undefined, undefined]);
  });

  it('is not sent to a receiver that answers no preflight', async () => {
    expect(await post('/silent')).toBeNull();
    expect(asked.map(({ method }) => method)).toEqual(['OPTIONS']);
  });

  it('counts as not delivered where only the preflight is answered as it should be', async () => {
    expect(await post('/half')).toBeNull();
    expect(asked.map(({ method }) => method)).toContain('POST');
  });

  it('follows no redirect', async () => {
    expect(await post('/redirect')).toBeNull();
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});
