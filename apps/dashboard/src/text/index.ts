import { createSay, lookUpLanguage, type Messages, type Say } from '@svc/ui/say';
import type en from './en.json';

/** A text of the dashboard: `feature.name`. */
export type TextKey = keyof typeof en;
export type DashboardSay = Say<TextKey>;

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
  return { language, say: createSay(language, messages) };
}
