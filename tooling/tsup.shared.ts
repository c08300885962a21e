import { defineConfig, type Options } from 'tsup';

/**
 * One configuration for every published package: ESM and CommonJS, and declarations rolled up out of what
 * `scripts/emit-declarations.mjs` has emitted before.
 *
 * @param entry sources under `src/`, which keep their names in `dist/`
 * @param untyped those of them that nobody imports
 */
export function svcPackage({ entry, untyped = [], ...options }: Options & { entry: string[]; untyped?: string[] }) {
  const declared = entry.filter((file) => !untyped.includes(file)).map((file) => file.replace(/^src\/|\.ts$/g, ''));
  return defineConfig({
    entry,
    format: ['esm', 'cjs'],
    dts: {
      entry: Object.fromEntries(declared.map((name) => [name, `.types/${name}.d.ts`])),
      // Not published: their code and their types are part of the packages that use them.
      compilerOptions: {
        paths: {
          '@svc/capture-web': ['../capture-web/.types/index.d.ts'],
          '@svc/durable-fs': ['../durable-fs/.types/index.d.ts'],
        },
      },
    },
    clean: true,
    sourcemap: false,
    target: 'es2022',
    ...options,
  });
}
