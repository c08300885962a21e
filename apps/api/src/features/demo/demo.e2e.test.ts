import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { oneNodeOnly, startTestApi, type TestApi } from '../../testing/index.ts';
import { createGuestPage } from '../../testing/widget-fixture.ts';

const directory = temporaryFolder();
let api: TestApi;

beforeAll(async () => {
  await writeFile(join(directory, 'site.json'), JSON.stringify({ format: 1, files: [] }));
  const oneNode = oneNodeOnly('each node has an organiser of its own');
  const pages = { SVC_WIDGET_DIR: directory, SVC_KIOSK_DIR: directory, SVC_DASHBOARD_DIR: join(directory, 'none') };
  api = await startTestApi(inject('postgres'), {}, { SVC_DEMO: 'on', ...pages, ...oneNode });
});

afterAll(() => api?.close());

const tokenIn = (html: string) => /<div data-svc-token="(svce_\w+)">/.exec(html)?.[1] ?? '';

/** Unlike `fetch`, permits any headers. */
function get(path: string, headers: Record<string, string>): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(new URL(path, api.url), { headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

describe('the demo page', () => {
  it('shows the widget with a token that works, another one on each visit', async () => {
    const [first, second] = await Promise.all([0, 1].map(async () => (await fetch(`${api.url}/demo`)).text()));
    const tokens = [tokenIn(first ?? ''), tokenIn(second ?? '')];
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) {
      const body = { organiserName: 'Riverside Hall', consentVersion: 'eu-v2' };
      expect(await createGuestPage(api, token).session()).toMatchObject({ status: 200, body });
    }
    // All visits share one organiser and one event.
    expect((await api.admin.accounts.list()).length).toBe(1);
  });

  it('takes the widget from the machine’s other name, under a policy that lets nothing else in', async () => {
    const page = await fetch(`${api.url}/demo`);
    const other = api.url.replace('127.0.0.1', 'localhost');
    expect(await page.text()).toContain(`<script src="${other}/widget/widget.js" async></script>`);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain(`script-src 'self' ${other};`);
    expect(policy).toContain(`frame-src ${other};`);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect((await fetch(`${api.url}/demo/demo.js`)).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  const { host } = new URL('http://127.0.0.1:3000');
  it.each([
    ['another name for this machine', { host: 'demo.example.org' }],
    ['a proxy that tells', { host, 'x-forwarded-for': '192.0.2.7' }],
    ['a proxy that tells in the standard’s words', { host, forwarded: 'for=192.0.2.7' }],
  ])('is not there for %s', async (_who, headers: Record<string, string>) => {
    for (const path of ['/demo', '/demo/demo.js']) expect((await get(path, headers)).status).toBe(404);
  });
});

describe('the page at /', () => {
  const linksIn = (html: string) => [...html.matchAll(/<a href="([^"]+)">/g)].map(([, link]) => link);
  const local = { host: 'localhost:3000' };

  it('leads a browser to each page that is served, under a policy that runs nothing', async () => {
    const page = await fetch(`${api.url}/`, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect(linksIn(await page.text())).toEqual([api.config.kioskUrl, '/docs', '/v1/openapi.json', '/demo']);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/);
    expect(page.headers.get('vary')).toContain('Accept');
  });

  it('has no link to the demo for a client that cannot open it, and is none for a program', async () => {
    const { body } = await get('/', { ...local, accept: 'text/html', 'x-forwarded-for': '192.0.2.7' });
    expect(linksIn(body)).toEqual([api.config.kioskUrl, '/docs', '/v1/openapi.json']);
    expect((await get('/', { ...local, accept: '*/*' })).status).toBe(404);
  });
});
