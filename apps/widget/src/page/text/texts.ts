import { createTexts } from '@svc/ui/text';
import en from './en.json';

export type TextKey = keyof typeof en;

/** The page's texts: every file of messages beside this one is one of its languages, fetched when it is needed. */
export const texts = createTexts<TextKey>(en, import.meta.glob(['./*.json', '!./en.json'], { import: 'default' }));
