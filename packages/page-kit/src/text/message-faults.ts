import type { CompiledMessage } from 'icu-minify/format';
import { createSay, type Messages } from './say.ts';

/** Kinds of compiled nodes that select by a number, as icu-minify numbers them, and their plural rules. */
const pluralRules: Readonly<Record<number, Intl.PluralRuleType>> = { 2: 'cardinal', 3: 'ordinal' };

interface Demand {
  readonly name: string;
  /** Plural categories of the language for which the message has no text. */
  readonly lacks: readonly string[];
}

function demandsOf(message: CompiledMessage, language: string): readonly Demand[] {
  // A text or, in a choice, a number alone.
  if (!Array.isArray(message)) return [];
  return message.flatMap((node) => {
    if (typeof node === 'string' || node === 0) return [];
    const [name, kind] = node;
    const choices = (node[2] ?? {}) as Readonly<Record<string, CompiledMessage>>;
    const type = pluralRules[Number(kind)];
    const categories = type ? new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories : [];
    const lacks = categories.filter((category) => !Object.hasOwn(choices, category));
    return [{ name, lacks }, ...Object.values(choices).flatMap((choice) => demandsOf(choice, language))];
  });
}

const namesOf = (message: CompiledMessage): readonly string[] =>
  [...new Set(demandsOf(message, 'en').map(({ name }) => name))].sort();

/** Quotation marks by language, with the no-break spaces in them. Dutch has single ones, as apostrophes are. */
const quotes: Readonly<Record<string, string>> = {
  ...{ en: '“”', de: '„“', fr: '«\u00a0\u00a0»', es: '«»', it: '“”', pt: '“”', nl: '' },
  ...{ pl: '„”', cs: '„“', da: '»«', sv: '””', ar: '«»' },
};

/**
 * Faults of a single text: characters that do not belong in running text, or more length than the page has room for.
 */
function faultsOfText(text: string, english: string, language: string): readonly string[] {
  const isClean = text === text.normalize('NFC').trim() && !/ {2}| [:;?!]|["'\t\n]/.test(text);
  const marks = text.match(/«\u00a0?|\u00a0?»|[“”„]/g)?.join('') ?? '';
  return [
    ...(text === '' ? ['is empty'] : []),
    ...(isClean ? [] : ['is not clean']),
    ...(marks.replaceAll(quotes[language] ?? marks, '') === '' ? [] : ['has other quotation marks']),
    ...(text.length < 16 + 2 * english.length ? [] : ['is too long']),
  ];
}

function faultsOfMessage(key: string, own: CompiledMessage, english: CompiledMessage, language: string) {
  if (namesOf(own).join() !== namesOf(english).join()) return ['has other values'];
  const values = Object.fromEntries(namesOf(own).map((name) => [name, 5]));
  const text = createSay(language, { [key]: own })(key, values);
  return [
    ...demandsOf(own, language).flatMap(({ name, lacks }) => lacks.map((category) => `lacks ${name}:${category}`)),
    ...faultsOfText(text, createSay('en', { [key]: english })(key, values), language),
  ];
}

/**
 * Faults of a language's compiled messages, one line each; for the tests of pages.
 * @param english the messages that are required, with their values
 */
export function messageFaults(language: string, own: Messages<string>, english: Messages<string>): readonly string[] {
  const faults = Object.entries(english).flatMap(([key, reference]) => {
    const message = own[key];
    const found = message === undefined ? ['is missing'] : faultsOfMessage(key, message, reference, language);
    return found.map((fault) => `${key}: ${fault}`);
  });
  const unknown = Object.keys(own).filter((key) => !Object.hasOwn(english, key));
  const same = language === 'en' ? [] : Object.keys(english).filter((key) => own[key] === english[key]);
  return [
    ...faults,
    ...unknown.map((key) => `${key}: is unknown`),
    ...(same.length < 8 ? [] : [`not translated: ${same.join()}`]),
  ];
}
