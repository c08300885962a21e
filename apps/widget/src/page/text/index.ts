import { createTexts } from '@svc/page-kit';
import en from './en.json';

export type TextKey = keyof typeof en;

/** The page's texts. Each JSON file beside this one is a language and is fetched on demand; English is bundled. */
export const texts = createTexts<TextKey>(en, import.meta.glob(['./*.json', '!./en.json'], { import: 'default' }));
