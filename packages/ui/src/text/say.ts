import format, { type CompiledMessage } from 'icu-minify/format';

/** A page's messages by key: written in ICU MessageFormat, one JSON file a language, and compiled when the page is built. */
export type Messages<Key extends string> = Readonly<Record<Key, CompiledMessage>>;

/** Says a message in one language. Values are put in as they are: they are shown as text, never as markup. */
export type Say<Key extends string> = (key: Key, values?: Readonly<Record<string, string | number>>) => string;

const formatters = {
  getDateTimeFormat: (...args: ConstructorParameters<typeof Intl.DateTimeFormat>) => new Intl.DateTimeFormat(...args),
  getNumberFormat: (...args: ConstructorParameters<typeof Intl.NumberFormat>) => new Intl.NumberFormat(...args),
  getPluralRules: (...args: ConstructorParameters<typeof Intl.PluralRules>) => new Intl.PluralRules(...args),
};

/** @param language BCP 47, whose plurals and numbers the messages are said with */
export function createSay<Key extends string>(language: string, messages: Messages<Key>): Say<Key> {
  return (key, values) => String(format(messages[key], language, values, { formatters }));
}
