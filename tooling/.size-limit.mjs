import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The core's build without SIMD, which a browser loads in place of the other one. It has a limit of its own. */
const scalarCore = './core-scalar-*';

/**
 * What a consumer loads: the entry point with everything that it reaches, bundled and minified, but for what is named
 * as left out.
 */
const bundle = (name, path, limit, ignore = []) => ({
  name,
  path: `../packages/${path}`,
  limit,
  ignore: [...ignore, scalarCore],
  gzip: true,
  modifyEsbuildConfig: (config) => ({ ...config, format: 'esm', target: 'es2022' }),
});

/** A file of a page, as it was built. */
const file = (name, path, limit) => ({
  name,
  path,
  limit,
  gzip: true,
  modifyEsbuildConfig: (config) => ({ ...config, format: 'esm', target: 'es2022' }),
});

/** Files as they are served, together. */
const served = (name, path, limit) => ({ name, path, limit, gzip: true, disablePlugins: ['@size-limit/esbuild'] });

/** Files that are served as the build compressed them, together. */
const compressed = (name, path, limit) => ({ ...served(name, path, limit), gzip: false, brotli: false });

/** The script of the kiosk's page. That of a build with other models may lie beside it. */
function kioskScript() {
  const page = '../apps/kiosk/dist/index.html';
  const text = existsSync(page) ? readFileSync(page, 'utf8') : '';
  return `../apps/kiosk/dist/assets/${/index-[\w-]+\.js/.exec(text)?.[0] ?? 'index-*.js'}`;
}

/**
 * Every file that the kiosk fetches for its first start, in a browser with SIMD, as it is sent: of the engines' networks
 * that of the recommended models where they are there.
 */
function kioskFiles() {
  const dist = '../apps/kiosk/dist';
  const all = existsSync(dist) ? readdirSync(dist, { recursive: true }).sort() : [];
  const other = all.some((path) => path.includes('retail-0095')) ? 'face-embedding' : 'retail-0095';
  const paths = all.filter(
    (path) => /\.\w+$/.test(path) && !path.includes(other) && !/scalar|site\.json|\.(br|gz)$/.test(path),
  );
  return paths.map((path) => `${dist}/${all.includes(`${path}.br`) ? `${path}.br` : path}`);
}

/**
 * Files that a browser fetches for a page of the dashboard: the start, the page's own chunk, one language, and what
 * they import.
 */
function dashboardFiles(page) {
  const assets = '../apps/dashboard/dist/assets';
  if (!existsSync(assets)) return [`${assets}/index-*.js`];
  const names = readdirSync(assets);
  const found = new Set(
    ['index', page, 'en'].flatMap((name) =>
      names.filter((file) => new RegExp(`^${name}-[\\w-]{8}\\.(js|css)$`).test(file)),
    ),
  );
  for (const file of found) {
    if (!file.endsWith('.js')) continue;
    const source = readFileSync(`${assets}/${file}`, 'utf8');
    for (const [, name] of source.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) found.add(name);
  }
  return ['../apps/dashboard/dist/index.html', ...[...found].map((file) => `${assets}/${file}`)];
}

export default [
  bundle('core: everything, WebAssembly included', 'core/dist/index.js', '20 kB'),
  served('core: the build without SIMD, in place of the other', '../packages/core/dist/core-scalar-*.js', '24 kB'),
  bundle('core: packs, whole, in ranges and by their changes', 'core/dist/pack/index.js', '10.5 kB'),
  bundle('server-sdk with all that it needs', 'server-sdk/dist/index.js', '6.2 kB'),
  bundle(
    'device-sdk-native: the contract, its check and both ends of a session',
    'device-sdk-native/dist/index.js',
    '10 kB',
  ),
  bundle('device-sdk-react-native with the contract', 'device-sdk-react-native/dist/index.js', '12 kB', [
    'react',
    'react-native',
  ]),
  bundle('device-sdk-web with all that it needs', 'device-sdk-web/dist/index.js', '133 kB'),
  file(
    'device-sdk-web: the engine’s worker, without core and models',
    '../packages/device-sdk-web/dist/engine-worker.js',
    '27.5 kB',
  ),
  served(
    'device-sdk-web: the core that the worker loads',
    '../packages/device-sdk-web/dist/engine-core-simd.js',
    '16.2 kB',
  ),
  served(
    'device-sdk-web: the one without SIMD, in place of the other',
    '../packages/device-sdk-web/dist/engine-core-scalar.js',
    '23 kB',
  ),
  served(
    'device-sdk-web: the page of native shells, texts included, without the worker',
    ['index.html', 'start.js', 'page.js', 'page.css'].map((name) => `../packages/device-sdk-web/dist/native/${name}`),
    '160 kB',
  ),
  {
    ...bundle('device-sdk-node with all that it needs', 'device-sdk-node/dist/index.js', '224 kB', [
      'sharp',
      '@napi-rs/keyring',
    ]),
    modifyEsbuildConfig: (config) => ({ ...config, format: 'esm', target: 'es2022', platform: 'node' }),
  },
  served('widget: the loader', '../apps/widget/dist/widget.js', '3 kB'),
  served(
    'widget: the page until the camera step',
    ['index.html', 'assets/index-*.js', 'assets/index-*.css'].map((path) => `../apps/widget/dist/${path}`),
    '40 kB',
  ),
  served(
    'widget: what takes the photo, fetched at the camera step',
    '../apps/widget/dist/assets/capture-*.js',
    '5.8 kB',
  ),
  file(
    'widget: the engine’s worker with the core, without models',
    '../apps/widget/dist/assets/engine-worker-*.js',
    '41 kB',
  ),
  compressed('widget: models of the camera step', '../apps/widget/dist/assets/engine-*/*.br', '585 kB'),
  compressed(
    'widget: all that a first enrolment in English fetches, with Brotli',
    ['index.html', 'assets/{index,capture,engine-worker}-*.{js,css}', 'assets/engine-*/*'].map(
      (path) => `../apps/widget/dist/${path}.br`,
    ),
    '660 kB',
  ),
  compressed(
    'manual: a long page, whole',
    '../apps/manual/dist/{internals/accuracy.html,assets/index-*.{js,css}}.br',
    '20 kB',
  ),
  compressed('manual: what the first search fetches', '../apps/manual/dist/assets/sections-*.json.br', '120 kB'),
  served('dashboard: the first list of events', dashboardFiles('events-page'), '200 kB'),
  served(
    'kiosk: the page in English, the device SDK included',
    [kioskScript(), '../apps/kiosk/dist/assets/core-simd-*.js'],
    '159 kB',
  ),
  kioskFiles().some((path) => path.includes('minifasnet'))
    ? compressed('kiosk: all that a first start fetches, with Brotli', kioskFiles(), '4.3 MB')
    : compressed('kiosk: all that a first start fetches, built-in models, with Brotli', kioskFiles(), '5.2 MB'),
  served('kiosk: the texts of each other language', '../apps/kiosk/dist/assets/de-*.js', '6 kB'),
  file('kiosk: styles', '../apps/kiosk/dist/assets/index-*.css', '5 kB'),
  file('kiosk: the worker that finds codes, without ZXing', '../apps/kiosk/dist/assets/code-worker-*.js', '18 kB'),
];
