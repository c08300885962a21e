declare module '*.css';
declare module '*?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: what the bundler makes
  export default url;
}
/**
 * Folder of the engine's worker, runtime and models, beside the page; its name contains their hash. Set by the build.
 */
declare const __ENGINE_FOLDER__: string;
/** Engines and passive checks that were not installed at build time. Set by the build. */
declare const __MODELS_NOT_INSTALLED__: readonly string[];
/** Whether the page has a passive check. Set by the build. */
declare const __HAS_PASSIVE_CHECK__: boolean;
/**
 * Every file of the page by path, with its SHA-256 in base64: for all browsers, and for those with one build of the
 * core. Set by the build.
 */
declare const __PRECACHE__: Readonly<Record<'all' | 'simd' | 'scalar' | 'later', Readonly<Record<string, string>>>>;
interface ImportMeta {
  /** The default exports of the files of the folder `base` that match, by path. Resolved by the build. */
  glob<T>(
    pattern: string | readonly string[],
    options: { readonly base: string; readonly import: 'default' },
  ): Readonly<Record<string, () => Promise<T>>>;
}
