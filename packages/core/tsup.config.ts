import { defineConfig } from 'tsup';

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/aead/index.ts',
    'src/aead/node.ts',
    'src/network/index.ts',
    'src/pack/index.ts',
    'src/evaluation.ts',
  ],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  sourcemap: false,
  target: 'es2022',
  // The compiled core becomes part of this package's own bundle.
  noExternal: ['@svc/wasm'],
});
