import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/assets/index.ts', 'src/assets/cli.ts'],
  format: ['esm', 'cjs'],
  dts: { entry: ['src/index.ts', 'src/assets/index.ts'] },
  // dist/engine-worker.js is made by prepare-sources.
  clean: ['!engine-worker.js'],
  shims: true,
  sourcemap: false,
  target: 'es2022',
});
