import { createSay, lookUpLanguage, type Messages, type Say } from '@svc/page-kit';
import type en from './en.json';

/** A text of the dashboard: `feature.name`. */
export type TextKey = keyof typeof en;
export type DashboardSay = Say<TextKey> & {
  /** Whether there is a text for what the service names: an error's code, an act of a later version. */
  readonly has: (key: string) => key is TextKey;
};

/** Each JSON file beside this one is a language; a browser fetches the one that it shows. */
const files = import.meta.glob<Messages<TextKey>>('./*.json', { import: 'default' });

/** BCP 47. */
export const languages: readonly string[] = Object.keys(files).map((path) => path.slice('./'.length, -'.json'.length));

/** The best language for a list of preferences; English if none matches. */
export const languageFor = (wanted: readonly string[]): string => lookUpLanguage(wanted, languages) ?? 'en';

/** @throws if the file cannot be fetched */
export async function loadTexts(language: string): Promise<{ readonly language: string; readonly say: DashboardSay }> {
  const messages = await files[`./${language}.json`]?.();
  if (messages === undefined) throw new Error(`no texts in ${language}`);
  const has = (key: string): key is TextKey => Object.hasOwn(messages, key);
  return { language, say: Object.assign(createSay(language, messages), { has }) };
}
