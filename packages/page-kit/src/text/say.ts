import format, { type CompiledMessage } from 'icu-minify/format';

/**
 * The best of the available languages, by the lookup of RFC 4647 section 3.4: each wanted range is shortened from its
 * end until one matches.
 * @param wanted BCP 47 tags in order of preference, as in `navigator.languages`
 * @param available BCP 47 tags
 * @returns null if none matches
 */
export function lookUpLanguage<L extends string>(wanted: readonly string[], available: readonly L[]): L | null {
  for (const range of wanted) {
    const parts = range.toLowerCase().split('-');
    while (parts.length > 0) {
      const found = available.find((tag) => tag.toLowerCase() === parts.join('-'));
      if (found !== undefined) return found;
      parts.pop();
      // A single letter or digit introduces an extension and means nothing alone.
      if (parts.at(-1)?.length === 1) parts.pop();
    }
  }
  return null;
}

/**
 * A language as it is written in the user's region, for dates and times: 24 hours in `en-DE`, «PM» in `en-US`.
 * @param language BCP 47, without a region
 * @param wanted BCP 47 tags in order of preference, as in `navigator.languages`
 */
export function inRegion(language: string, wanted: readonly string[]): string {
  const variant = wanted.find((tag) => tag.toLowerCase().startsWith(`${language.toLowerCase()}-`));
  if (variant !== undefined) return variant;
  for (const tag of wanted) {
    const region = /-([a-z]{2}|[0-9]{3})(-|$)/i.exec(tag)?.[1];
    if (region !== undefined) return `${language}-${region.toUpperCase()}`;
  }
  return language;
}

/**
 * The names of the page's languages, set by the build: `Intl.DisplayNames` takes a slow phone ten milliseconds for each.
 */
declare const __LANGUAGE_NAMES__: Readonly<Record<string, string>>;
const names = typeof __LANGUAGE_NAMES__ === 'undefined' ? {} : __LANGUAGE_NAMES__;

/** The language's own name, capitalised for a list. */
export function nameOfLanguage(tag: string): string {
  const known = names[tag];
  if (known !== undefined) return known;
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return name.slice(0, 1).toLocaleUpperCase(tag) + name.slice(1);
}

const rightToLeft = new Set(['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** For the `dir` attribute. */
export function directionOfLanguage(tag: string): 'ltr' | 'rtl' {
  return rightToLeft.has(tag.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr';
}

/** A page's messages by key: ICU MessageFormat, a column of its table, compiled when the page is built. */
export type Messages<Key extends string> = Readonly<Record<Key, CompiledMessage>>;

/** Formats a message in one language. Values are inserted as text, never as markup. */
export type Say<Key extends string> = (key: Key, values?: Readonly<Record<string, string | number>>) => string;

const formatters = {
  getDateTimeFormat: (...args: ConstructorParameters<typeof Intl.DateTimeFormat>) => new Intl.DateTimeFormat(...args),
  getNumberFormat: (...args: ConstructorParameters<typeof Intl.NumberFormat>) => new Intl.NumberFormat(...args),
  getPluralRules: (...args: ConstructorParameters<typeof Intl.PluralRules>) => new Intl.PluralRules(...args),
};

/** @param language BCP 47, for plurals and numbers */
export function createSay<Key extends string>(language: string, messages: Messages<Key>): Say<Key> {
  return (key, values) => String(format(messages[key], language, values, { formatters }));
}
