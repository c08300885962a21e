declare module '*.css';

interface ImportMeta {
  /** The default exports of the files of the folder `base` that match, by path. Resolved by the build. */
  glob<T>(
    pattern: string,
    options: { readonly base: string; readonly import: 'default' },
  ): Readonly<Record<string, () => Promise<T>>>;
}
