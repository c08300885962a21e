import { copyFile } from 'node:fs/promises';
import { defineConfig } from 'tsup';

/** One program and its worker, our own packages inside, everything from npm beside it. */
export default defineConfig({
  entry: { main: 'src/main.ts', worker: 'src/inference/worker.ts' },
  format: ['esm'],
  platform: 'node',
  target: 'node20',
  clean: true,
  sourcemap: true,
  splitting: true,
  // As it is: what makes it right is that it is no module.
  onSuccess: () => copyFile('src/inference/thread.cjs', 'dist/thread.cjs'),
  noExternal: [/^@svc\//],
  esbuildOptions(options) {
    options.conditions = ['svc-source', 'module'];
  },
});
