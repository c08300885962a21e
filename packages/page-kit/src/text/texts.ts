import { createSay, lookUpLanguage, type Messages, type Say } from './say.ts';

/** The texts of one language. */
export interface SpokenTexts<Key extends string> {
  readonly say: Say<Key>;
  /** BCP 47; `en` if the other language could not be fetched. */
  readonly language: string;
  readonly messages: Messages<Key>;
}

export interface Texts<Key extends string> {
  /** BCP 47. */
  readonly languages: readonly string[];
  readonly english: SpokenTexts<Key>;
  /** @throws if the messages cannot be fetched */
  load(language: string): Promise<SpokenTexts<Key>>;
  /** The best available language for a list of preferences; English if none matches. */
  languageFor(wanted: readonly string[]): string;
  /** The texts in a language, if they were fetched before; else null. */
  loaded(language: string): SpokenTexts<Key> | null;
}

/**
 * A page's texts in several languages.
 * @param en bundled with the page
 * @param others the other languages' files by `./LANGUAGE.json`, from `import.meta.glob`
 */
export function createTexts<Key extends string>(
  en: Messages<Key>,
  others: Readonly<Record<string, () => Promise<Messages<Key>>>>,
): Texts<Key> {
  const english = { say: createSay('en', en), language: 'en', messages: en };
  const languages = ['en', ...Object.keys(others).map((path) => path.slice('./'.length, -'.json'.length))];
  const loaded = new Map<string, SpokenTexts<Key>>([['en', english]]);

  async function load(language: string): Promise<SpokenTexts<Key>> {
    const messages = loaded.has(language) ? undefined : await others[`./${language}.json`]?.();
    if (messages !== undefined) loaded.set(language, { say: createSay(language, messages), language, messages });
    return loaded.get(language) ?? english;
  }

  return {
    languages,
    english,
    load,
    languageFor: (wanted) => lookUpLanguage(wanted, languages) ?? 'en',
    loaded: (language) => loaded.get(language) ?? null,
  };
}
