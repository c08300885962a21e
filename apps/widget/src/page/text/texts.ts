import { createSay, type Messages, type Say } from '@svc/ui/text';
import en from './en.json';

export type TextKey = keyof typeof en;

/** Every other file of messages beside this one is a language of the page, fetched when a guest needs it. */
const others = import.meta.glob<Messages<TextKey>>(['./*.json', '!./en.json'], { import: 'default' });
/** BCP 47. */
export const languages: readonly string[] = [
  'en',
  ...Object.keys(others).map((path) => path.slice(2, -'.json'.length)),
];

/** @throws where they cannot be fetched */
export const loadMessages = async (language: string): Promise<Messages<TextKey>> =>
  (await others[`./${language}.json`]?.()) ?? en;

/** The texts before any others have come. */
export const sayEnglish: Say<TextKey> = createSay('en', en);
