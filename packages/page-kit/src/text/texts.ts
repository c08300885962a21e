import { createSay, lookUpLanguage, type Messages, type Say } from './say.ts';

/** The texts of one language. */
export interface SpokenTexts<Key extends string> {
  readonly say: Say<Key>;
  /** BCP 47; `en` if the other language could not be fetched. */
  readonly language: string;
  readonly messages: Messages<Key>;
}

/** {@link createTexts} */
export type Texts<Key extends string> = ReturnType<typeof createTexts<Key>>;

/**
 * A page's texts in several languages.
 * @param en bundled with the page
 * @param others the other languages' files by `./LANGUAGE.json`, from `import.meta.glob` with the folder as its base
 */
export function createTexts<Key extends string>(
  en: Messages<Key>,
  others: Readonly<Record<string, () => Promise<Messages<Key>>>>,
) {
  const english: SpokenTexts<Key> = { say: createSay('en', en), language: 'en', messages: en };
  const languages = ['en', ...Object.keys(others).map((path) => path.slice('./'.length, -'.json'.length))];
  const loaded = new Map<string, SpokenTexts<Key>>([['en', english]]);

  /** @throws if the messages cannot be fetched */
  async function load(language: string): Promise<SpokenTexts<Key>> {
    const messages = loaded.has(language) ? undefined : await others[`./${language}.json`]?.();
    if (messages !== undefined) loaded.set(language, { say: createSay(language, messages), language, messages });
    return loaded.get(language) ?? english;
  }

  return {
    /** BCP 47. */
    languages,
    english,
    load,
    /** The best available language for a list of preferences; English if none matches. */
    languageFor: (wanted: readonly string[]) => lookUpLanguage(wanted, languages) ?? 'en',
    /** The texts in a language, if they were fetched before; else null. */
    loaded: (language: string) => loaded.get(language) ?? null,
  };
}
