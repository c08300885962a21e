/** Builds the service into `dist/`: one program and its worker, our own packages inside, everything from npm beside it. */
import { copyFile, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
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
// As they are: what is started is no module.
for (const file of ['inference/thread.cjs', 'crypto/pkcs11-process.cjs'])
  await copyFile(join(root, 'src', file), join(root, 'dist', basename(file)));
