import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/index.ts';

const policy = "default-src 'none'; script-src 'self'";
const files = [
  {
    path: 'index.html',
    text: '<!doctype html>',
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
  },
  {
    path: 'assets/app-1a2b.js',
    text: 'export {};',
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  },
];

let directory: string;
let api: TestApi;
let bare: TestApi;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-site-'));
  await mkdir(join(directory, 'assets'));
  for (const { path, text } of files) await writeFile(join(directory, path), text);
  await writeFile(join(directory, 'secret.txt'), 'not of the page');
  const site = files.map(({ path, headers }) => ({ path, headers, sha256: '' }));
  await writeFile(join(directory, 'site.json'), JSON.stringify({ format: 1, files: site }));
  const absent = join(directory, 'absent');
  api = await startTestApi(inject('postgres'), {}, { SVC_KIOSK_DIR: directory, SVC_WIDGET_DIR: directory });
  bare = await startTestApi(inject('postgres'), {}, { SVC_KIOSK_DIR: absent, SVC_WIDGET_DIR: absent });
});

afterAll(async () => {
  await api?.close();
  await bare?.close();
  await rm(directory, { recursive: true, force: true });
});

const get = (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, { redirect: 'manual', ...init });

describe.each(['kiosk', 'widget'])('the built page at /%s/', (name) => {
  it('comes with the headers that its build asks for, and those of every answer', async () => {
    const page = await get(`/${name}/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toBe('<!doctype html>');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(policy);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const script = await get(`/${name}/assets/app-1a2b.js`);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  });

  it('is found without its slash, and answers HEAD', async () => {
    const moved = await get(`/${name}`);
    expect([moved.status, moved.headers.get('location')]).toEqual([308, `${name}/`]);
    expect((await get(`/${name}/`, { method: 'HEAD' })).status).toBe(200);
    expect((await get(`/${name}/`, { method: 'POST' })).status).toBe(405);
  });

  it.each([
    'secret.txt',
    'site.json',
    'assets',
    'assets/',
    '../package.json',
    '%2e%2e/package.json',
    'assets/..%2fsecret.txt',
  ])('has no %s', async (path) => {
    expect((await get(`/${name}/${path}`)).status).toBe(404);
  });

  it('is not there where it was not built', async () => {
    expect((await fetch(`${bare.url}/${name}/`)).status).toBe(404);
  });
});

describe('whose frame a page may be in', () => {
  it('is nobody’s for the kiosk', async () => {
    expect((await get('/kiosk/')).headers.get('x-frame-options')).toBe('DENY');
  });

  it('is what the page’s own policy says for the widget', async () => {
    for (const path of ['/widget/', '/widget/assets/app-1a2b.js']) {
      expect((await get(path)).headers.get('x-frame-options')).toBe(null);
    }
    // A missing file is not a page.
    expect((await get('/widget/absent')).headers.get('x-frame-options')).toBe('DENY');
  });
});

it('tells a kiosk what a device of this deployment pins', async () => {
  const answer = await get('/kiosk/deployment.json');
  expect(await answer.json()).toEqual({ signingKeys: [api.admin.region().signingKey] });
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

it('has no demo where the service is set up for others', async () => {
  expect((await get('/demo')).status).toBe(404);
});
