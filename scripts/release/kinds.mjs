/** The kinds of project of a rehearsal: what each installs and how it runs the packages. */
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import { transform } from 'esbuild';
import { root } from '../lib/setup.mjs';
import { foundChromium } from '../lib/test-tools.mjs';
import { folderOf, manifestOf, withDependencies } from '../package/npm-packages.mjs';
import { checkPrograms, consumer } from '../tarballs/check-programs.mjs';

/** The versions that a folder of the workspace has of tools. */
const here = (folder, ...names) =>
  Object.fromEntries(names.map((name) => [name, manifestOf(folderOf(name, folder)).version]));
const native = join(root, 'packages', 'device-sdk-react-native');
const tooling = join(root, 'tooling');

const ofNode = ['core', 'server-sdk', 'device-sdk-node', 'device-sdk-native', 'device-sdk-web'];
const ofPages = ['core', 'server-sdk', 'device-sdk-web', 'widget'];

/** Runs the programs of scripts/tarballs/consumer as JavaScript. */
const runPrograms = (format, extension) => async (project) => {
  const programs = readdirSync(consumer).filter((file) => file.endsWith('.ts'));
  for (const file of programs) {
    const source = readFileSync(join(consumer, file), 'utf8');
    const { code } = await transform(source, { loader: 'ts', format, target: 'node20' });
    const name = basename(file, '.ts');
    project.write({ [`${name}.${extension}`]: code, [`state/${name}/about`]: '' });
    const loaded = `${format === 'cjs' ? 'require' : 'await import'}('./${name}.${extension}')`;
    const type = `--input-type=${format === 'cjs' ? 'commonjs' : 'module'}`;
    await project.node(type, '-e', `(${loaded}).use('state/${name}')`);
  }
};

const PAGE = `
import { loadCore } from '@svc/core';
import { createWebDevice, forgetWebDevice } from '@svc/device-sdk-web';
import { createSvcClient } from '@svc/server-sdk';

globalThis.work = async () => {
  const core = await loadCore();
  const device = await createWebDevice({
    deviceToken: 'svcd_00000000000000000000000000000000000000000002plyEo',
    region: { baseUrl: location.origin, signingKeys: ['A'.repeat(43)] },
    assetsUrl: 'face/',
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
const EXPECTED = JSON.stringify({ cosine: 1, notReady: 'never-synced', client: 'function' });
const HTML = '<!doctype html><title>page</title>';
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.html': 'text/html' };

/** Writes the folder of the engine. @returns its files with the headers that each needs */
async function writeAssets(project, folder) {
  await project.node(
    `node_modules/${project.config.scope}/device-sdk-web/bin/svc-device-assets.mjs`,
    folder,
    '--no-add-ons',
  );
  return JSON.parse(readFileSync(project.at(folder, 'assets.json'), 'utf8')).files;
}

/** Opens a page in Chromium and calls its `work`. */
async function openPage(url) {
  const executablePath = foundChromium();
  if (executablePath === undefined) return void process.stdout.write('skipped: no Chromium; the page is not run\n');
  const { chromium } = createRequire(join(root, 'packages', 'device-sdk-web', 'package.json'))('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    const said = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('response', (answer) => answer.ok() || said.push(`${answer.status()} ${answer.url()}`));
    await page.goto(url);
    await page
      .waitForFunction(() => 'work' in globalThis, null, { timeout: 60_000 })
      .catch((error) => {
        throw new Error(`${error.message}\n${said.join('\n')}`);
      });
    const found = JSON.stringify(await page.evaluate(() => globalThis.work()));
    if (found !== EXPECTED) throw new Error(`the page answered ${found}`);
  } finally {
    await browser.close();
  }
}

/** Serves folders of static files, the first that has one, with a policy as a page of production has it. */
async function openFiles(folders, assets, script = '') {
  const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'${script}; worker-src 'self'; connect-src 'self'`;
  const server = createServer(({ url }, response) => {
    const path = url === '/' ? '/index.html' : new URL(url, 'http://page').pathname;
    const file = folders
      .map((folder) => join(folder, path))
      .find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
    if (file === undefined) return void response.writeHead(404).end();
    const asset = assets.find((each) => path === `/face/${each.path}`);
    const headers = { 'content-type': TYPES[extname(file)] ?? 'text/plain', 'content-security-policy': policy };
    createReadStream(file).pipe(response.writeHead(200, asset?.headers ?? headers));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await openPage(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
  }
}

/** Bundles a page with what `build` runs, into `out`, and opens it. */
const bundlePage = (files, build, out) => async (project) => {
  project.write({ 'page.js': PAGE, ...files });
  const assets = await writeAssets(project, 'face');
  await project.node(...build);
  return await openFiles([project.at(out), project.directory], assets);
};

const WEBPACK = `
const { writeFileSync } = require('node:fs');
// As docs/build/device-sdk.md says: @hpke/common imports Node's module where there is no Web Crypto, which every
// browser has.
const resolve = { fallback: { crypto: false } };
const output = { path: __dirname + '/out', filename: 'bundle.js' };
const options = { mode: 'production', context: __dirname, entry: './page.js', output, resolve, performance: { hints: false } };
require('webpack')(options, (error, stats) => {
  if (error ?? (stats.hasErrors() || stats.hasWarnings())) throw error ?? new Error(stats.toString('errors-warnings'));
  writeFileSync('out/index.html', '${HTML}<script type="module" src="bundle.js"></script>');
});
`;

/** The address in `node_modules` of each entry point that a package of these exports. */
function importMap(project) {
  const pick = (target) =>
    typeof target === 'string' ? target : pick(target.browser ?? target.import ?? target.default);
  const names = ofPages.slice(0, 3).map((short) => `${project.config.scope}/${short}`);
  const imports = [...withDependencies(names, project.directory)].flatMap(([folder, name]) => {
    const { exports, module, main } = manifestOf(folder);
    return Object.entries(exports?.['.'] ? exports : { '.': exports ?? `./${module ?? main}` })
      .filter(([entry]) => !entry.includes('*'))
      .map(([entry, target]) => [name + entry.slice(1), `/node_modules/${name}/${pick(target).slice(2)}`]);
  });
  return JSON.stringify({ imports: Object.fromEntries(imports) });
}

const NEXT = {
  'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
  'app/page.js': "'use client';\nimport '../page.js';\nexport default () => <p>Door</p>;",
  'app/people/route.js': `
import { loadCore } from '@svc/core';
import { createSvcClient } from '@svc/server-sdk';
export const dynamic = 'force-dynamic';
export async function GET() {
  const core = await loadCore();
  const client = createSvcClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'svck_00000000000000000000000000000000000000000001eMryp' });
  return Response.json([core.cosine(Float32Array.of(1), Float32Array.of(2)), typeof client.listPeople]);
}`,
};

export const kinds = [
  { name: 'npm, ES modules', packages: ofNode, run: runPrograms('esm', 'mjs') },
  { name: 'npm, CommonJS', type: 'commonjs', packages: ofNode, run: runPrograms('cjs', 'cjs') },
  { name: 'pnpm, ES modules', isOther: true, packages: ofNode, run: runPrograms('esm', 'mjs') },
  {
    ...{ name: 'pnpm, CommonJS', isOther: true, type: 'commonjs' },
    ...{ packages: ofNode, run: runPrograms('cjs', 'cjs') },
  },
  {
    ...{ name: 'npm, TypeScript strict', isOther: true, packages: [...ofNode, 'widget'] },
    dependencies: {
      typescript: here(tooling, 'typescript-native')['typescript-native'],
      ...here(tooling, '@types/node'),
    },
    async run({ directory, config, nodePath, at }) {
      const installed = [...ofNode, 'widget'].map((short) => `${config.scope}/${short}`);
      const tarballs = installed.map((name) => ({ name, manifest: manifestOf(at('node_modules', name)) }));
      const options = { scope: config.scope, node: nodePath, only: ['node', 'web'] };
      const { failures } = checkPrograms(directory, at('node_modules/typescript/bin/tsc'), tarballs, options);
      if (failures.length > 0) throw new Error(failures.join('\n'));
    },
  },
  {
    ...{ name: 'npm, Vite', packages: ofPages, dependencies: here(tooling, 'vite') },
    run: bundlePage(
      { 'index.html': `${HTML}<script type="module" src="/page.js"></script>` },
      ['node_modules/vite/bin/vite.js', 'build', '--logLevel=error'],
      'dist',
    ),
  },
  {
    ...{ name: 'pnpm, webpack', isOther: true, packages: ofPages, dependencies: here(tooling, 'webpack') },
    run: bundlePage({ 'build.cjs': WEBPACK }, ['build.cjs'], 'out'),
  },
  {
    ...{ name: 'pnpm, Next.js', packages: ofPages },
    dependencies: { next: '16.4.6', react: '19.2.3', 'react-dom': '19.2.3' },
    async run(project) {
      project.write({ 'page.js': PAGE, ...NEXT });
      await writeAssets(project, 'public/face');
      project.env.NEXT_TELEMETRY_DISABLED = '1';
      await project.node('node_modules/next/dist/bin/next', 'build');
      const server = await project.serve(
        ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', 'PORT'],
        '/people',
      );
      try {
        const found = await (await fetch(`${server.url}/people`)).text();
        if (found !== '[1,"function"]') throw new Error(`the route answered ${found}`);
        return await openPage(server.url);
      } finally {
        server.close();
      }
    },
  },
  {
    ...{ name: 'pnpm, React Native by Metro', type: 'commonjs' },
    packages: ['device-sdk-react-native'],
    npmrc: ['node-linker=hoisted'],
    dependencies: here(native, 'react', 'react-native', 'metro', '@react-native/metro-config'),
    async run(project) {
      const example = join(native, 'example');
      for (const file of readdirSync(example)) project.write({ [file]: readFileSync(join(example, file), 'utf8') });
      const own = "require('@react-native/metro-config').getDefaultConfig(__dirname)";
      project.write({
        'metro.config.js': `module.exports = { ...${own}, maxWorkers: 2, cacheStores: [] };`,
        'babel.config.js': "module.exports = { presets: ['module:@react-native/babel-preset'] };",
      });
      const release = '--platform=android --dev=false --minify=false --out=bundle.js';
      await project.node('node_modules/metro/src/cli.js', 'build', 'index.tsx', ...release.split(' '));
      const bundle = readFileSync(project.at('bundle.js'), 'utf8');
      if (!/uiViewClassName: ['"]SvcCameraView['"]/.test(bundle)) throw new Error('the bundle has no camera view');
      const system = { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' }[process.platform];
      const hermes = `./node_modules/hermes-compiler/hermesc/${system}/hermesc`;
      await project.run(hermes, '-emit-binary', '-O0', '-w', '-out', 'bundle.hbc', 'bundle.js');
    },
  },
  {
    ...{ name: 'static files, by an import map', packages: ofPages },
    async run(project) {
      const map = importMap(project);
      const loader = `<script src="/node_modules/${project.config.scope}/widget/dist/widget.js"></script>`;
      const scripts = `<script type="importmap">${map}</script><script type="module" src="/page.js"></script>`;
      project.write({ 'page.js': PAGE, 'index.html': HTML + loader + scripts });
      const hash = createHash('sha256').update(map).digest('base64');
      return await openFiles([project.directory], await writeAssets(project, 'face'), ` 'sha256-${hash}'`);
    },
  },
];
