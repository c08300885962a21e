// Bundles from the sources into dist: the engine's worker, and the page that native shells show, each script classic.
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { WORKER_PATHS } from '../src/assets/asset-manifest.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const shared: BuildOptions = {
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  conditions: ['svc-source'],
  legalComments: 'inline',
};

const bundle = (source: string, name: string, options: BuildOptions = {}) =>
  build({ ...shared, entryPoints: [at(`../src/${source}`)], outfile: at(`../dist/${name}`), ...options });

/** A classic script is one file: the worker loads the one build of the core that it takes by `importScripts`. */
const coresApart: Plugin = {
  name: 'cores-apart',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@svc\/wasm\/(simd|scalar)$/ }, ({ path }) => ({ path, namespace: 'core' }));
    onLoad({ filter: /./, namespace: 'core' }, ({ path }) => {
      const file = WORKER_PATHS.cores[path === '@svc/wasm/simd' ? 'simd' : 'scalar'];
      return { contents: `importScripts('${file}');\nexport const { coreWasmBase64 } = svcCore;` };
    });
  },
};

const core = (kind: 'simd' | 'scalar') =>
  build({
    ...shared,
    stdin: { contents: `export * from '@svc/wasm/${kind}';`, resolveDir: at('../../core') },
    outfile: at(`../dist/${WORKER_PATHS.cores[kind]}`),
    globalName: 'svcCore',
  });

/** The kiosk's texts of an attempt, by language: the page says the same. */
async function attemptTexts(): Promise<object> {
  const table = await readFile(at('../../../apps/kiosk/src/text/texts.tsv'), 'utf8');
  const [[, ...languages] = [], ...rows] = table.split(/\r?\n/).map((line) => line.split('\t'));
  const own = rows.flatMap(([key = '', ...texts]) => {
    const [, name] = /^attempt\.(.+)/.exec(key) ?? [];
    return name === undefined ? [] : [{ name, texts }];
  });
  const column = (i: number) => Object.fromEntries(own.map(({ name, texts }) => [name, texts[i]]));
  return Object.fromEntries(languages.map((language, i) => [language, column(i)]));
}

await mkdir(at('../dist/native'), { recursive: true });
await Promise.all([
  bundle('engine/worker.ts', WORKER_PATHS.worker, { plugins: [coresApart] }),
  core('simd'),
  core('scalar'),
  // The oldest WebViews in which the page runs, and the oldest of Android 7, which it has to refuse.
  bundle('native/page/page.ts', 'native/page.js', {
    target: ['chrome91', 'safari15'],
    define: { ATTEMPT_TEXTS: JSON.stringify(await attemptTexts()) },
  }),
  bundle('native/page/start.ts', 'native/start.js', { target: 'chrome51' }),
  bundle('native/page/page.css', 'native/page.css', { target: ['chrome91', 'safari15'] }),
  copyFile(at('../src/native/page/index.html'), at('../dist/native/index.html')),
]);
