// A page that imports every package for browsers, bundled by Vite and by webpack, and run in Chromium.
import { createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { build as viteBuild } from 'vite';
import webpack from 'webpack';
import { root } from '../lib/setup.mjs';
import { foundChromium } from '../lib/test-tools.mjs';

const PAGE = `
import { loadCore } from '@svc/core';
import { createWebDevice, forgetWebDevice } from '@svc/device-sdk-web';
import { createSvcClient } from '@svc/server-sdk';

globalThis.work = async () => {
  const core = await loadCore();
  const device = await createWebDevice({
    deviceToken: 'svcd_00000000000000000000000000000000000000000002plyEo',
    region: { baseUrl: location.origin, signingKeys: ['A'.repeat(43)] },
    assetsUrl: 'assets/',
    passiveLiveness: 'absent-staff-in-view',
  });
  const { notReady } = device.status();
  await device.dispose();
  await forgetWebDevice();
  return {
    cosine: core.cosine(Float32Array.of(1, 0), Float32Array.of(2, 0)),
    notReady: notReady.reason,
    client: typeof createSvcClient,
  };
};
`;
const EXPECTED = { cosine: 1, notReady: 'never-synced', client: 'function' };
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
const TYPES = { '.js': 'text/javascript', '.html': 'text/html' };

const bundlers = {
  async Vite(directory, out) {
    await viteBuild({
      root: directory,
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: out,
        emptyOutDir: false,
        lib: { entry: 'page.js', formats: ['es'], fileName: () => 'bundle.js' },
      },
    });
  },
  async webpack(directory, out) {
    const compiler = webpack({
      mode: 'production',
      context: directory,
      entry: './page.js',
      output: { path: out, filename: 'bundle.js' },
      // As in docs/device-sdk.md: @hpke/common imports Node's module if there is no Web Crypto, which every browser
      // has.
      resolve: { fallback: { crypto: false } },
      performance: { hints: false },
    });
    const stats = await new Promise((resolve, reject) => {
      compiler.run((error, done) => (error ? reject(error) : resolve(done)));
    });
    await new Promise((resolve) => compiler.close(resolve));
    if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString('errors-warnings'));
  },
};

/** @param directory the temporary project */
export async function checkBundlers(directory) {
  const executablePath = foundChromium();
  if (executablePath === undefined) process.stdout.write('skipped: no Chromium; the bundles are built and not run\n');
  writeFileSync(join(directory, 'page.js'), PAGE);
  const assets = join(directory, 'assets');
  const { buildDeviceAssets } = createRequire(join(directory, 'package.json'))('@svc/device-sdk-web/assets');
  const { files } = await buildDeviceAssets({ directory: assets, addOnDirectory: null });
  for (const [name, bundle] of Object.entries(bundlers)) {
    const out = join(directory, name);
    mkdirSync(out);
    try {
      await bundle(directory, out);
      writeFileSync(
        join(out, 'index.html'),
        '<!doctype html><title>page</title><script type="module" src="bundle.js"></script>',
      );
      if (executablePath === undefined) continue;
      const found = await runPage(executablePath, { out, assets, files });
      if (JSON.stringify(found) !== JSON.stringify(EXPECTED)) throw new Error(`it answered ${JSON.stringify(found)}`);
      const kilobytes = (readFileSync(join(out, 'bundle.js')).length / 1_000).toFixed(0);
      process.stdout.write(`${name}: a bundle of ${kilobytes} kB runs in Chromium\n`);
    } catch (error) {
      process.stdout.write(`${name}: ${error?.stack ?? error}\n`);
      process.exitCode = 1;
    }
  }
}

async function runPage(executablePath, { out, assets, files }) {
  const server = createServer(({ url }, response) => {
    const asset = files.find(({ path }) => url === `/assets/${path}`);
    const path = url === '/' ? 'index.html' : url.slice(1);
    if (asset !== undefined) createReadStream(join(assets, asset.path)).pipe(response.writeHead(200, asset.headers));
    else if (!/^[\w.-]+$/.test(path) || !existsSync(join(out, path))) response.writeHead(404).end();
    else {
      const headers = { 'content-type': TYPES[extname(path)] ?? 'text/plain', 'content-security-policy': POLICY };
      createReadStream(join(out, path)).pipe(response.writeHead(200, headers));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { chromium } = createRequire(join(root, 'packages', 'device-sdk-web', 'package.json'))('playwright-core');
  let browser = null;
  try {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    return await page.evaluate(() => globalThis.work());
  } finally {
    await browser?.close();
    server.close();
  }
}
