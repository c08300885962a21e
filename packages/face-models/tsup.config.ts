import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/node.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  // dist/models is made by prepare-sources.
  clean: ['!models/**'],
  shims: true,
  sourcemap: false,
  target: 'es2022',
});
