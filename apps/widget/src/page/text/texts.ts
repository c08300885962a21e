import { createCatalogue, type Say } from '@svc/ui/text';
import { en, type TextKey } from './en.ts';

/** One language's texts, fetched when a guest needs them. */
type Load = () => Promise<Readonly<Record<TextKey, string>>>;

/** The languages of the consent wordings, beside English. */
const loaders = {
  de: () => import('./de.ts').then(({ de }) => de),
  es: () => import('./es.ts').then(({ es }) => es),
  fr: () => import('./fr.ts').then(({ fr }) => fr),
  it: () => import('./it.ts').then(({ it }) => it),
  nl: () => import('./nl.ts').then(({ nl }) => nl),
  pl: () => import('./pl.ts').then(({ pl }) => pl),
  sv: () => import('./sv.ts').then(({ sv }) => sv),
} as const satisfies Readonly<Record<string, Load>>;

export type Language = 'en' | keyof typeof loaders;
export const languages: readonly Language[] = ['en', ...(Object.keys(loaders) as (keyof typeof loaders)[])];

/** The texts before any others have come. */
export const sayEnglish: Say<TextKey> = createCatalogue({ language: 'en', texts: en }, {}).in('en');

/** Says the page's texts in a language. @throws where they cannot be fetched */
export async function loadTexts(language: Language): Promise<Say<TextKey>> {
  if (language === 'en') return sayEnglish;
  const own = await loaders[language]();
  return createCatalogue({ language: 'en', texts: en }, { [language]: own }).in(language);
}
export type { TextKey } from './en.ts';
