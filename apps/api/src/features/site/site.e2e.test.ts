import { createHash } from 'node:crypto';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/index.ts';
import { tokenOf } from '../../testing/person.ts';

const policy = "default-src 'none'; connect-src 'self'; script-src 'self'";
const script = 'export const page = 1;\n'.repeat(50);
const files = [
  { path: 'widget.js', text: 'the loader', headers: { 'Content-Type': 'text/javascript; charset=utf-8' } },
  {
    path: 'index.html',
    text: '<!doctype html>',
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
  },
  {
    path: 'assets/app-1a2b.js',
    text: script,
    isEncoded: true,
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  },
];
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('base64');
const encoders = [
  ['br', '.br', brotliCompressSync],
  ['gzip', '.gz', gzipSync],
] as const;

/** Writes the files, their encoded forms and `site.json`, as `@svc/page-kit/build` does. */
async function writeSite(folder: string, page: string): Promise<void> {
  const listed = files.map(async ({ path, headers, isEncoded, ...file }) => {
    const text = path === 'index.html' ? page : file.text;
    await writeFile(join(folder, path), text);
    const encodings = (isEncoded ? encoders : []).map(async ([encoding, suffix, encode]) => {
      const bytes = encode(text);
      await writeFile(join(folder, path + suffix), bytes);
      return { encoding, path: path + suffix, bytes: bytes.length, sha256: sha256(bytes) };
    });
    return { path, bytes: text.length, sha256: sha256(text), headers, encodings: await Promise.all(encodings) };
  });
  await writeFile(join(folder, 'site.json'), JSON.stringify({ format: 1, files: await Promise.all(listed) }));
}

const directory = temporaryFolder();
let api: TestApi;
let bare: TestApi;

beforeAll(async () => {
  await mkdir(join(directory, 'assets'));
  await writeFile(join(directory, 'secret.txt'), 'not of the page');
  await writeSite(directory, '<!doctype html>');
  const absent = join(directory, 'absent');
  const pages = { SVC_KIOSK_DIR: directory, SVC_MANUAL_DIR: directory, SVC_WIDGET_DIR: directory };
  api = await startTestApi(inject('postgres'), {}, pages);
  bare = await startTestApi(inject('postgres'), {}, { SVC_KIOSK_DIR: absent, SVC_WIDGET_DIR: absent });
});

afterAll(async () => {
  await api?.close();
  await bare?.close();
});

const get = (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, { redirect: 'manual', ...init });

interface Sent {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly bytes: Buffer;
}

/** A request with exactly these headers, whose answer is not decoded. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', of = api, body = ''): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(`${of.url}${path}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject).end(body);
  });

const APP = '/widget/assets/app-1a2b.js';
const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};

describe('the form in which a file is sent', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, GZIP;q=0.8', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['identity;q=0.9, br;q=0.1', 'identity'],
    // Nothing is left: what every client can read.
    ['identity;q=0', 'identity'],
    ['zstd, compress', 'identity'],
    ['br;q=much', 'identity'],
    [undefined, 'identity'],
  ])('to a client with Accept-Encoding “%s” is %s', async (accepted, encoding) => {
    const { status, headers, bytes } = await ask(APP, accepted === undefined ? {} : { 'Accept-Encoding': accepted });
    expect([status, headers['content-encoding'] ?? 'identity']).toEqual([200, encoding]);
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(headers.etag).toBe(`"${sha256(bytes)}"`);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(sha256(decoders[encoding]?.(bytes) ?? '')).toBe(sha256(script));
  });

  it('is the plain one where no other is stored', async () => {
    const { headers, bytes } = await ask('/widget/', { 'Accept-Encoding': 'gzip, br' });
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    expect(bytes.toString()).toBe('<!doctype html>');
  });

  it('has an address of its own for nobody', async () => {
    for (const suffix of ['.br', '.gz']) expect((await ask(APP + suffix)).status).toBe(404);
  });

  it('is told to HEAD as to GET', async () => {
    const accept = { 'Accept-Encoding': 'br' };
    const [head, whole] = [await ask(APP, accept, 'HEAD'), await ask(APP, accept)];
    const { date: _, 'x-request-id': __, ...told } = head.headers;
    expect(whole.headers).toMatchObject(told);
    expect([head.status, head.bytes.length, head.headers['content-encoding']]).toEqual([200, 0, 'br']);
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await ask(APP, { 'Accept-Encoding': 'br' });
    const etag = headers.etag ?? '';
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const again = await ask(APP, { 'Accept-Encoding': 'br', 'If-None-Match': known });
      expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
      expect(again.headers.vary).toBe('Accept-Encoding');
      expect(again.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(again.headers['content-encoding']).toBeUndefined();
    }
    // The plain form is another one.
    expect((await ask(APP, { 'If-None-Match': etag })).status).toBe(200);
    expect((await ask('/widget/', { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('is whole, whatever range or state a request asks for', async () => {
    for (const asked of [{ Range: 'bytes=0-3' }, { Range: 'bytes=99999-' }, { 'If-Match': '"other"' }]) {
      const { status, headers, bytes } = await ask(APP, { 'Accept-Encoding': 'gzip', ...asked });
      expect([status, headers['accept-ranges']]).toEqual([200, undefined]);
      expect(gunzipSync(bytes).toString()).toBe(script);
    }
  });
});

describe.each(['kiosk', 'manual', 'widget'])('the built page at /%s/', (name) => {
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

const hosts = ['api', 'dashboard', 'kiosk', 'widget'] as const;
const urlOf = (host: (typeof hosts)[number]) => `https://${host}.example.org`;

describe('a deployment whose API and pages have host names of their own', () => {
  let separate: TestApi;
  /** What the document does not tell: operations, and the hosts at which they are not. */
  const elsewhere: [operation: string, host: string | undefined][] = [];
  beforeAll(async () => {
    const roles = ['KIOSK', 'MANUAL', 'WIDGET', 'DASHBOARD'];
    const folders = Object.fromEntries(roles.map((role) => [`SVC_${role}_DIR`, directory]));
    const pages = { SVC_KIOSK_URL: `${urlOf('kiosk')}/kiosk/`, SVC_DASHBOARD_URL: `${urlOf('dashboard')}/dashboard/` };
    const own = { ...folders, ...pages, SVC_API_URL: urlOf('api'), SVC_WIDGET_URL: `${urlOf('widget')}/widget` };
    const origins = 'https://one.example, http://127.0.0.1:4000';
    separate = await startTestApi(
      inject('postgres'),
      {},
      { ...own, SVC_CHECK_IN_ORIGINS: origins, SVC_PAYLOADS_URL: 'https://packs.example' },
    );
  });
  afterAll(async () => {
    for (const [operation, host] of elsewhere)
      separate.violations.delete(`${operation} 404: the status is not in the document, at ${host}`);
    await separate.close();
  });

  const at = (host: string, path: string, headers = {}, method = 'GET', body = '') =>
    ask(path, { Host: host.includes('.') ? host : `${host}.example.org`, ...headers }, method, separate, body);

  it.each<[path: string, owner: string, statuses: readonly number[]]>([
    ['/docs/errors', 'api', [200, 308, 308, 308]],
    ['/manual/', 'api', [200, 308, 308, 308]],
    ['/dashboard', 'dashboard', [308, 308, 308, 308]],
    ['/dashboard/events?from=a', 'dashboard', [308, 200, 308, 308]],
    ['/kiosk/deployment.json', 'kiosk', [308, 308, 200, 308]],
    ['/widget/', 'widget', [308, 308, 308, 200]],
    ['/widget/absent', 'widget', [308, 308, 308, 404]],
    ['/widget/widget.js', 'widget', [200, 200, 200, 200]],
    ['/v1/openapi.json', 'getOpenApiDocument', [200, 200, 404, 404]],
    ['/v1/lists', 'listLists', [401, 401, 404, 404]],
    ['/v1/session', 'getSession', [404, 401, 404, 404]],
    ['/v1/sign-in', 'getSignInMethods', [404, 200, 404, 404]],
    ['/v1/widget/session', 'getWidgetSession', [401, 404, 404, 401]],
    ['/v1/device/sync', 'syncDevice', [401, 404, 401, 404]],
    ['/healthz', 'getHealth', [200, 404, 200, 404]],
    ['/%6biosk/', 'nobody', [404, 404, 404, 404]],
  ])('%s, of %s, is answered with %j at each', async (path, owner, statuses) => {
    // The last two are such as a health check's, and a name that a page cannot have chosen.
    const names = hosts.map((host) => `${host.toUpperCase()}.example.org:8443`);
    names.push('10.0.0.7:3000', 'kiosk.example.org.elsewhere.example');
    // No redirect there, which could lead back.
    const other = statuses[0] === 308 ? 404 : statuses[0];
    const answers = await Promise.all(names.map((name) => at(name, path, { 'X-Forwarded-Host': 'kiosk.example.org' })));
    expect(answers.map(({ status }) => status)).toEqual([...statuses, other, other]);
    for (const [i, { status }] of answers.entries()) if (status === 404) elsewhere.push([owner, names[i]]);
    for (const [i, { status, headers }] of answers.entries()) {
      if (status !== 308) continue;
      expect(headers.location).toBe(hosts[i] === owner ? `${owner}/` : `https://${owner}.example.org${path}`);
      expect(headers['cache-control']).toBe('no-store');
      expect((await at(hosts[i] ?? '', path, {}, 'POST')).status).not.toBe(308);
    }
  });

  it('sends the widget’s loader with the widget’s address at every other name', async () => {
    const moved = `document.currentScript.dataset.svcPage="${urlOf('widget')}/widget/";\nthe loader`;
    for (const name of ['former.name', ...hosts])
      expect((await at(name, '/widget/widget.js')).bytes.toString()).toBe(name === 'widget' ? 'the loader' : moved);
  });

  it('leads from the root of a page’s host to the page', async () => {
    for (const page of ['dashboard', 'kiosk', 'widget'])
      expect((await at(page, '/')).headers.location).toBe(`/${page}/`);
  });

  it('signs people in at the dashboard’s host, where alone their cookie counts', async () => {
    const { accountId } = await separate.customer();
    const robin = { email: 'robin@example.org', name: 'Robin', role: 'owner' } as const;
    const { invitationUrl } = await separate.admin.users.invite(accountId, robin);
    expect(invitationUrl).toMatch(`${urlOf('dashboard')}/dashboard/invitation#svcl_`);
    const body = JSON.stringify({ token: tokenOf(invitationUrl) });
    const signIn = (host: 'api' | 'dashboard' | 'kiosk') =>
      at(host, '/v1/sign-in/link', { Origin: urlOf(host), 'Content-Type': 'application/json' }, 'POST', body);
    expect([(await signIn('api')).status, (await signIn('kiosk')).status]).toEqual([404, 404]);
    elsewhere.push(['signInWithLink', 'api.example.org'], ['signInWithLink', 'kiosk.example.org']);
    const signedIn = await signIn('dashboard');
    expect(JSON.parse(signedIn.bytes.toString()).deployment.apiUrl).toBe(urlOf('api'));
    const [cookie = '', ...others] = signedIn.headers['set-cookie'] ?? [];
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^__Host-svc-session=svcs_\w+; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/);
    const asked = async (host: string, sent = cookie) => (await at(host, '/v1/lists', { Cookie: sent })).status;
    expect([await asked('dashboard'), await asked('api')]).toEqual([200, 401]);
    // Another host of the domain could plant it.
    expect(await asked('dashboard', cookie.replace('__Host-', ''))).toBe(401);
  });

  it('lets the kiosk’s page, and that alone, connect to the origins of check-ins and payloads', async () => {
    const policyAt = async (host: string, path: string) => (await at(host, path)).headers['content-security-policy'];
    const widened = policy.replace(
      "connect-src 'self'",
      '$& https://one.example http://127.0.0.1:4000 https://packs.example',
    );
    for (const path of ['/kiosk/', '/kiosk/index.html']) expect(await policyAt('kiosk', path)).toBe(widened);
    for (const [host, path] of [
      ['widget', '/widget/'],
      ['kiosk', '/kiosk/assets/app-1a2b.js'],
    ] as const)
      expect(await policyAt(host, path)).toBe((await ask(path)).headers['content-security-policy']);
  });
});

it('stays as it was when the service started, in every form, whatever is built or deleted later', async () => {
  const addresses = ['kiosk', 'widget'].flatMap((page) =>
    ['', ...files.map(({ path }) => path)].map((path) => `/${page}/${path}`),
  );
  const served = () =>
    Promise.all(
      addresses.flatMap((path) =>
        Object.keys(decoders).map(async (encoding) => {
          const { status, headers, bytes } = await ask(path, { 'Accept-Encoding': encoding });
          return [path, status, headers.etag, headers['content-encoding'], sha256(bytes)];
        }),
      ),
    );
  const before = await served();
  expect(before.filter(([, status]) => status !== 200)).toEqual([]);
  // In place, as `cp` writes; a later list.
  for (const { path } of files) await writeFile(join(directory, path), 'of another build');
  await writeSite(directory, '<!doctype html><p>later');
  await utimes(join(directory, 'site.json'), new Date(), new Date(Date.now() + 2000));
  expect(await served()).toEqual(before);
  await rm(directory, { recursive: true });
  expect(await served()).toEqual(before);
});
