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
  noExternal: [/^@svc\//],
  esbuildOptions(options) {
    options.conditions = ['svc-source', 'module'];
  },
});
