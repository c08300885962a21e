declare module '*.css';
/** The API's address, relative to the page's folder or absolute. Set by the build. */
declare const __API_URL__: string;
interface ImportMeta {
  /** The default exports of the files of the folder `base` that match, by path. Resolved by the build. */
  glob<T>(
    pattern: string | readonly string[],
    options: { readonly base: string; readonly import: 'default' },
  ): Readonly<Record<string, () => Promise<T>>>;
}
