import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/node.ts', 'src/browser.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  // import.meta.url in the CommonJS build
  shims: true,
  sourcemap: false,
  target: 'es2022',
});
