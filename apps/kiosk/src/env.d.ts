declare module '*.css';
declare module '*?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: what the bundler makes
  export default url;
}
/**
 * Folder of the engine's worker, runtime and models, beside the page; its name bears their hash. Put in by the build.
 */
declare const __ENGINE_FOLDER__: string;
/**
 * Engines and passive checks whose networks the page could have and has not, since they were not installed. Put in by
 * the build.
 */
declare const __MODELS_NOT_INSTALLED__: readonly string[];
/** Every file of the page by its path, with its SHA-256 in base64. Put in by the build. */
declare const __PRECACHE__: Readonly<Record<string, string>>;
interface ImportMeta {
  /** The default exports of the files that a pattern matches, by their paths. Put in by the build. */
  glob<T>(
    pattern: string | readonly string[],
    options: { readonly import: 'default' },
  ): Readonly<Record<string, () => Promise<T>>>;
}
