// Bundles from the sources into dist: the engine's worker, and the page that native shells show, each script classic.
import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const bundle = (source: string, name: string, options: BuildOptions = {}) =>
  build({
    entryPoints: [at(`../src/${source}`)],
    outfile: at(`../dist/${name}`),
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    conditions: ['svc-source'],
    legalComments: 'inline',
    ...options,
  });

await mkdir(at('../dist/native'), { recursive: true });
await Promise.all([
  bundle('engine/worker.ts', 'engine-worker.js'),
  // The oldest WebViews in which the page runs, and the oldest of Android 7, which it has to refuse.
  bundle('native/page/page.ts', 'native/page.js', { target: ['chrome91', 'safari15'] }),
  bundle('native/page/start.ts', 'native/start.js', { target: 'chrome51' }),
  bundle('native/page/page.css', 'native/page.css', { target: ['chrome91', 'safari15'] }),
  copyFile(at('../src/native/page/index.html'), at('../dist/native/index.html')),
]);
