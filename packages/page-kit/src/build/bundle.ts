import { build, type InlineConfig, type Plugin } from 'vite';
import { nameOfLanguage } from '../text/say.ts';
import { compileMessages } from './compile-messages.ts';
import { splitTexts } from './split-texts.ts';

interface BundleOptions {
  /** Folder of the package to bundle. */
  readonly root: string;
  readonly outDir: string;
  /** Names used by the sources, each with the expression that replaces it. */
  readonly define?: Readonly<Record<string, string>>;
}

export interface BundlePageOptions extends BundleOptions {
  /** Absolute. */
  readonly html: string;
  /** Format of the page's workers. Default: modules. `iife`: classic scripts, which support `importScripts`. */
  readonly workerFormat?: 'es' | 'iife';
  /**
   * Path below which the page is served, with slashes at both ends, for a page that answers to deeper paths. Default:
   * any, by relative addresses.
   */
  readonly base?: string;
  /** Modules by name, each with the one that takes its place. */
  readonly alias?: Readonly<Record<string, string>>;
}

export interface BundleScriptOptions extends BundleOptions {
  /** Absolute. */
  readonly entry: string;
  /** Relative to `outDir`; its name has no hash. */
  readonly fileName: string;
  /** The oldest language level that the script's browsers support, in Vite's syntax. */
  readonly target: string;
}

export type BundleInlineOptions = Pick<BundleScriptOptions, 'root' | 'entry' | 'define'>;

const shared = (
  root: string,
  workerFormat: 'es' | 'iife' = 'es',
  alias: Readonly<Record<string, string>> = {},
): InlineConfig => ({
  root,
  configFile: false,
  logLevel: 'warn',
  // Relative addresses, so that the page can be served below any path.
  base: './',
  resolve: { conditions: ['svc-source', 'module', 'browser', 'production'], alias },
  plugins: [compileMessages()],
  worker: { format: workerFormat },
});

const PAGE_TARGET = 'es2022';

/** A lazily loaded chunk of a folder is named after the folder. */
const chunkName = ({ facadeModuleId }: { readonly facadeModuleId: string | null }): string =>
  `assets/${/\/([\w-]+)\/index\.tsx?$/.exec(facadeModuleId ?? '')?.[1] ?? '[name]'}-[hash].js`;

/**
 * React Aria brings its words in thirty languages, a module each: those of other languages become empty, and those of
 * things dragged within a page of all but English, as pages take files alone.
 */
const keepLanguages = (languages: readonly string[]): Plugin => ({
  name: 'svc-aria-languages',
  enforce: 'pre',
  load: {
    filter: { id: /\/react-aria(-components)?\/dist\/private\/intl\/.*\/[a-z]{2}-[A-Z]{2}\.mjs$/ },
    handler(id) {
      const [, language = ''] = /\/([a-z]{2})-[A-Z]{2}\.mjs$/.exec(id) ?? [];
      const isKept = language === 'en' || (languages.includes(language) && !id.includes('/intl/dnd/'));
      return isKept ? null : 'const none = {};\nexport { none as default };';
    },
  },
});

/** Bundles one HTML page with all its dependencies. The folder is emptied first. */
export async function bundlePage({
  root,
  html,
  outDir,
  define = {},
  workerFormat,
  base = './',
  alias,
}: BundlePageOptions): Promise<void> {
  const { plugins = [], ...common } = shared(root, workerFormat, alias);
  const languages = splitTexts(root);
  const names = Object.fromEntries(languages.map((language) => [language, nameOfLanguage(language)]));
  await build({
    ...common,
    plugins: [...plugins, keepLanguages(languages)],
    base,
    define: { __LANGUAGE_NAMES__: JSON.stringify(names), ...define },
    build: {
      outDir,
      emptyOutDir: true,
      target: PAGE_TARGET,
      // Guests use old phones, so newer CSS is translated to that of 2022.
      cssTarget: ['chrome100', 'firefox100', 'safari15.4'],
      // The polyfill and inlined files would need a weaker content security policy.
      modulePreload: false,
      assetsInlineLimit: 0,
      rollupOptions: {
        input: html,
        output: { chunkFileNames: chunkName },
        // Some libraries mark modules for servers that render pages.
        onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
      },
    },
  });
}

/** Bundles one classic script into a folder that is not emptied. */
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

/**
 * Bundles one classic script for a page that contains it.
 * @returns its text
 * @throws Error if the text would end the page's element
 */
export async function bundleInline({ root, entry, define = {} }: BundleInlineOptions): Promise<string> {
  const built = await build({
    ...shared(root),
    publicDir: false,
    define,
    build: { write: false, target: PAGE_TARGET, lib: { entry, formats: ['iife'], name: 'script' } },
  });
  const [chunk] = [built].flat().flatMap((result) => ('output' in result ? result.output : []));
  const text = chunk?.type === 'chunk' ? chunk.code.trim() : '';
  if (text === '' || /<(\/script|!--)/i.test(text)) throw new Error('the script cannot stand in a page');
  return text;
}
