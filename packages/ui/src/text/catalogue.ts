/** Texts by key; `{name}` stands for a value. */
export type Texts<Key extends string> = Readonly<Record<Key, string>>;

/** Says a text in one language. Values are put in as they are: they are shown as text, never as markup. */
export type Say<Key extends string> = (key: Key, values?: Readonly<Record<string, string | number>>) => string;

export interface Catalogue<Key extends string, Language extends string> {
  readonly languages: readonly Language[];
  /** What a language lacks is said in the fallback language. */
  in(language: Language): Say<Key>;
}

/**
 * One page's texts in several languages.
 * @param fallback the language that has every text
 */
export function createCatalogue<const Fallback extends string, Key extends string, const Other extends string = never>(
  fallback: { readonly language: Fallback; readonly texts: Texts<Key> },
  others: Readonly<Record<Other, Readonly<Partial<Record<Key, string>>>>>,
): Catalogue<Key, Fallback | Other> {
  const texts = new Map<string, Readonly<Partial<Record<Key, string>>>>([
    [fallback.language, fallback.texts],
    ...Object.entries<Readonly<Partial<Record<Key, string>>>>(others),
  ]);
  return {
    languages: [...texts.keys()] as (Fallback | Other)[],
    in: (language) => {
      const own = texts.get(language);
      return (key, values = {}) => fill(own?.[key] ?? fallback.texts[key], values);
    },
  };
}

/** The names of the values that a text asks for. */
export function placeholdersOf(text: string): readonly string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
