import { build, type InlineConfig } from 'vite';
import { compileMessages } from './compile-messages.ts';

interface BundleOptions {
  /** Folder of the package that the bundle is made of. */
  readonly root: string;
  readonly outDir: string;
  /** Names that the sources use, each with the expression that takes its place. */
  readonly define?: Readonly<Record<string, string>>;
}

export interface BundlePageOptions extends BundleOptions {
  /** Absolute. */
  readonly html: string;
  /** Of the page's workers. Left out: modules. `iife`: classic scripts, which know `importScripts`. */
  readonly workerFormat?: 'es' | 'iife';
}

export interface BundleScriptOptions extends BundleOptions {
  /** Absolute. */
  readonly entry: string;
  /** Below `outDir`; it bears no hash. */
  readonly fileName: string;
  /** The oldest language that the script's browsers know, as Vite takes it. */
  readonly target: string;
}

const shared = (root: string, workerFormat: 'es' | 'iife' = 'es'): InlineConfig => ({
  root,
  configFile: false,
  logLevel: 'warn',
  // Addresses are relative to the page, so that it can be served below any path.
  base: './',
  resolve: { conditions: ['svc-source', 'module', 'browser', 'production'] },
  plugins: [compileMessages()],
  worker: { format: workerFormat },
});

/**
 * The chunk of a folder that is loaded when it is needed is named after the folder, as the page's own is after the
 * page.
 */
const chunkName = ({ facadeModuleId }: { readonly facadeModuleId: string | null }): string =>
  `assets/${/\/([\w-]+)\/index\.tsx?$/.exec(facadeModuleId ?? '')?.[1] ?? '[name]'}-[hash].js`;

/** Bundles one HTML page with all that it needs. The folder is emptied first. */
export async function bundlePage({ root, html, outDir, define = {}, workerFormat }: BundlePageOptions): Promise<void> {
  await build({
    ...shared(root, workerFormat),
    define,
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // Guests bring whatever phone they have: what newer styles say is put in words of 2022.
      cssTarget: ['chrome100', 'firefox100', 'safari15.4'],
      // The polyfill and inlined files would need more of the content security policy.
      modulePreload: false,
      assetsInlineLimit: 0,
      rollupOptions: { input: html, output: { chunkFileNames: chunkName } },
    },
  });
}

/** Bundles one classic script beside what is in the folder already. */
export async function bundleScript({
  root,
  entry,
  outDir,
  fileName,
  target,
  define = {},
}: BundleScriptOptions): Promise<void> {
  await build({
    ...shared(root),
    publicDir: false,
    define,
    build: {
      outDir,
      emptyOutDir: false,
      target,
      lib: { entry, formats: ['iife'], name: 'script', fileName: () => fileName },
    },
  });
}
