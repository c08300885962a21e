declare module '*.css';

interface ImportMeta {
  /** The default exports of the files that match a pattern, by path. Resolved by the build. */
  glob<T>(pattern: string, options: { readonly import: 'default' }): Readonly<Record<string, () => Promise<T>>>;
  glob<T>(pattern: string, options: { readonly import: 'default'; readonly eager: true }): Readonly<Record<string, T>>;
}
