import { createSay, type Messages, type Say } from '@svc/ui/text';
import en from './en.json';

export type TextKey = keyof typeof en;

/** Every file of messages beside this one is a language of the kiosk, and part of its page: it has to be there without a network. */
const files = import.meta.glob<Messages<TextKey>>('./*.json', { import: 'default', eager: true });
/** BCP 47. */
export const languages: readonly string[] = Object.keys(files).map((path) => path.slice(2, -'.json'.length));

export const messagesIn = (language: string): Messages<TextKey> => files[`./${language}.json`] ?? en;
export const sayIn = (language: string): Say<TextKey> => createSay(language, messagesIn(language));
