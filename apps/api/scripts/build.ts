/** Builds the service into `dist/`: one program and its worker, our own packages inside, everything from npm beside it. */
import { copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const fromNpm = Object.keys(dependencies).filter((name) => !name.startsWith('@svc/'));

await rm(join(root, 'dist'), { recursive: true, force: true });
const common: BuildOptions = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  sourcemap: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['svc-source', 'module'],
  external: fromNpm.flatMap((name) => [name, `${name}/*`]),
  logLevel: 'warning',
};
// One by one: a chunk for both would have each thread load the service's schemas.
await build({ ...common, entryPoints: { main: 'src/main.ts' } });
await build({ ...common, entryPoints: { worker: 'src/inference/worker.ts' } });
// As it is: what makes it right is that it is no module.
await copyFile(join(root, 'src/inference/thread.cjs'), join(root, 'dist/thread.cjs'));
