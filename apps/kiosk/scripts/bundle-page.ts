import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig } from 'vite';

/** Folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** What each of the package's bundles is made with. */
export const shared = {
  root,
  configFile: false,
  logLevel: 'warn',
  // Addresses are relative to the page, so that it can be served below any path.
  base: './',
  resolve: { conditions: ['svc-source', 'module', 'browser', 'production'] },
  worker: { format: 'es' },
} satisfies InlineConfig;

/** Bundles one HTML page with all that it needs. */
export async function bundlePage(o: {
  readonly html: string;
  readonly outDir: string;
  readonly define: Readonly<Record<string, string>>;
}): Promise<void> {
  await build({
    ...shared,
    define: o.define,
    build: {
      outDir: o.outDir,
      emptyOutDir: true,
      target: 'es2022',
      // The polyfill and inlined files would need more of the content security policy.
      modulePreload: false,
      assetsInlineLimit: 0,
      rollupOptions: { input: o.html },
    },
  });
}
