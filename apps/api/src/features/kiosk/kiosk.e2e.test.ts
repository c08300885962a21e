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
    },
  },
];

describe('the check-in page', () => {
  let directory: string;
  let api: TestApi;
  let bare: TestApi;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-kiosk-'));
    await mkdir(join(directory, 'assets'));
    for (const { path, text } of files) await writeFile(join(directory, path), text);
    await writeFile(join(directory, 'secret.txt'), 'not of the page');
    const site = files.map(({ path, headers }) => ({ path, headers, sha256: '' }));
    await writeFile(join(directory, 'site.json'), JSON.stringify({ format: 1, files: site }));
    api = await startTestApi(inject('postgres'), {}, { SVC_KIOSK_DIR: directory });
    bare = await startTestApi(inject('postgres'), {}, { SVC_KIOSK_DIR: join(directory, 'absent') });
  });

  afterAll(async () => {
    await api?.close();
    await bare?.close();
    await rm(directory, { recursive: true, force: true });
  });

  const get = (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, { redirect: 'manual', ...init });

  it('comes with the headers that its build asks for, and those of every answer', async () => {
    const page = await get('/kiosk/');
    expect(page.status).toBe(200);
    expect(await page.text()).toBe('<!doctype html>');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(policy);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const script = await get('/kiosk/assets/app-1a2b.js');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('is found without its slash, and answers HEAD', async () => {
    const moved = await get('/kiosk');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, 'kiosk/']);
    expect((await get('/kiosk/', { method: 'HEAD' })).status).toBe(200);
    expect((await get('/kiosk/', { method: 'POST' })).status).toBe(405);
  });

  it('says what a device of this deployment pins', async () => {
    const answer = await get('/kiosk/deployment.json');
    expect(await answer.json()).toEqual({ signingKeys: [api.admin.region().signingKey] });
    expect(answer.headers.get('cache-control')).toBe('no-store');
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
    expect((await get(`/kiosk/${path}`)).status).toBe(404);
  });

  it('is not there where it was not built', async () => {
    expect((await fetch(`${bare.url}/kiosk/`)).status).toBe(404);
  });
});
