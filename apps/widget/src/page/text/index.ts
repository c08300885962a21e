import { createTexts } from '@svc/page-kit';
import en from './generated/en.json';

export type TextKey = keyof typeof en;

/** The page's texts: `texts.tsv`. English is bundled, another language is fetched on demand. */
export const texts = createTexts<TextKey>(
  en,
  import.meta.glob(['./*.json', '!./en.json'], { base: './generated', import: 'default' }),
);
