import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { inChromium } from './testing/in-chromium.ts';
import { devicePage, startTestSite } from './testing/test-site.ts';

/** What docs/build/webhooks.md tells an organiser to answer. */
const preflightAnswer = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-headers': 'content-type, webhook-id, webhook-timestamp, webhook-signature',
  'access-control-max-age': '86400',
});

const asked: { method: string; headers: IncomingMessage['headers'] }[] = [];
const receiver = createServer(({ method = '', url = '', headers }, response) => {
  const { origin = '' } = headers;
  asked.push({ method, headers });
  if (url === '/silent') return void response.writeHead(204).end();
  if (method === 'OPTIONS') return void response.writeHead(204, preflightAnswer(origin)).end();
  response.writeHead(204, url === '/half' ? {} : { 'access-control-allow-origin': origin }).end();
});
let receiverUrl = '';

async function start() {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  return startTestSite({ parts: [await devicePage(new URL('./testing/page.ts', import.meta.url), [receiverUrl])] });
}

inChromium(
  'a check-in from a page to another origin',
  ({ open }) => {
    let page: Page;
    beforeAll(async () => {
      page = await open();
      await page.context().addCookies([{ name: 'secret', value: '1', url: receiverUrl }]);
    });
    afterAll(() => receiver.closeAllConnections());
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
  },
  { start },
);
