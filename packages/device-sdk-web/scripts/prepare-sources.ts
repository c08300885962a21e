// Bundles the engine's worker from the sources into dist/engine-worker.js, as one classic script.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: [at('../src/engine/worker.ts')],
  outfile: at('../dist/engine-worker.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  conditions: ['svc-source'],
  legalComments: 'inline',
});
