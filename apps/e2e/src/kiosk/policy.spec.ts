import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestSite } from '@svc/device-sdk-web/testing';
import { expect, test } from '../support/browser-test.ts';
import { complaintsOf } from '../support/complaints.ts';

/** Of the kiosk; the tests' npm script builds it first. */
const folder = join(import.meta.dirname, '../../../kiosk/dist');

interface SiteFile {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

test('a kiosk that runs offline keeps what it loads, and its policy', async ({ context, page }) => {
  const { files }: { files: readonly SiteFile[] } = JSON.parse(await readFile(join(folder, 'site.json'), 'utf8'));
  const headers = { 'content-type': 'text/plain', 'access-control-allow-origin': '*' };
  const receiver = await startTestSite({ parts: [async () => ({ headers, body: 'taken' })] });
  /** Where the page may connect to, as the API's SVC_CHECK_IN_ORIGINS adds it. */
  let allowed = '';
  /** How often the page was fetched: after its first load only to be stored again. */
  let fetched = 0;
  const kiosk = await startTestSite({
    parts: [
      async (path) => {
        const name = path.replace('/kiosk/', '') || 'index.html';
        const file = files.find((each) => each.path === name);
        if (file === undefined) return null;
        const own = Object.fromEntries(Object.entries(file.headers).map(([key, value]) => [key.toLowerCase(), value]));
        const policy = own['content-security-policy'] ?? '';
        const widened = name === 'index.html' ? policy.replace("connect-src 'self'", `$&${allowed}`) : policy;
        const body = new Uint8Array(await readFile(join(folder, name)));
        if (name === 'index.html') fetched += 1;
        return { headers: { ...own, 'content-security-policy': widened }, body };
      },
    ],
  });
  // As long as a slow machine takes to store every file.
  page.setDefaultTimeout(90_000);
  const complaints = complaintsOf(page, kiosk.url, receiver.url);

  const reaches = () =>
    page.evaluate(
      (url) =>
        fetch(url)
          .then((answer) => answer.text())
          .catch(() => 'blocked'),
      `${receiver.url}/`,
    );
  /** The policy of the page that the next load gets without a network. */
  const stored = () =>
    page.evaluate(async () => {
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          const policy = (await cache.match(request))?.headers.get('content-security-policy') ?? '';
          if (policy.includes('trusted-types')) return policy;
        }
      }
      return '';
    });

  const isKept = async (pattern: RegExp) => {
    const kept = await page.evaluate(async () => {
      const cached = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
      return cached.flat().map(({ url }) => decodeURIComponent(new URL(url).pathname.replace(/^.*\/cached\//, '')));
    });
    const found = files.filter(({ path }) => pattern.test(path));
    expect(found, String(pattern)).toHaveLength(1);
    const hash = createHash('sha256').update(await readFile(join(folder, found[0]?.path ?? '')));
    return kept.includes(hash.digest('base64'));
  };

  await test.step('keeps the build of the core that this browser loads, but not the other', async () => {
    await page.goto(`${kiosk.url}/kiosk/`);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    for (const ours of [/core-simd-[^/]*\.js$/, /engine-core-simd\.js$/])
      expect(await isKept(ours), String(ours)).toBe(true);
    for (const other of [/core-scalar-[^/]*\.js$/, /engine-core-scalar\.js$/])
      expect(await isKept(other), String(other)).toBe(false);
  });

  await test.step('keeps the network of an engine once it was needed, through the deletion of other files', async () => {
    const network = /models\/face-embedding-[^/]*\.network$/;
    expect(await isKept(network)).toBe(false);
    const path = files.find((each) => network.test(each.path))?.path ?? '';
    const load = () => page.evaluate(async (url) => (await (await fetch(url)).arrayBuffer()).byteLength, path);
    const bytes = await load();
    expect(await isKept(network)).toBe(true);
    await page.reload();
    await context.setOffline(true);
    expect(await load()).toBe(bytes);
    await context.setOffline(false);
  });

  await test.step('may connect to an origin that the deployment allows later, without another version of the page', async () => {
    const before = fetched;
    await page.goto(`${kiosk.url}/kiosk/`);
    // Otherwise the page might be stored again with the new policy before it is loaded next.
    await expect.poll(() => fetched).toBe(before + 1);
    await expect.poll(stored).toContain("connect-src 'self';");
    allowed = ` ${receiver.url}`;
    await page.reload();
    expect(await reaches()).toBe('blocked');
    await expect.poll(stored).toContain(receiver.url);
    await page.reload();
    expect(await reaches()).toBe('taken');
  });

  await test.step('may do so without a network too, and keeps its policy when the service is gone', async () => {
    await context.setOffline(true);
    await page.reload();
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    await context.setOffline(false);
    expect(await reaches()).toBe('taken');
    expect(await stored()).toContain(receiver.url);
  });

  await test.step('complains of a policy that runs text, and of a runtime beside the core', async () => {
    expect(complaints.filter((each) => !each.includes(receiver.url))).toEqual([]);
    const headers = { 'content-security-policy': "script-src 'unsafe-eval'", 'content-type': 'application/wasm' };
    await page.route('**/planted', (route) => route.fulfill({ headers }));
    await page.evaluate(() => fetch('planted').then((answer) => answer.text()));
    const said = ['unsafe-eval of', 'runs'].map((what) => `${what} ${kiosk.url}/kiosk/planted`);
    await expect.poll(() => complaints).toEqual(expect.arrayContaining(said));
  });

  await kiosk.close();
  await receiver.close();
});
