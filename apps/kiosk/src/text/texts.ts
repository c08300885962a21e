import { createCatalogue } from '@svc/ui/text';
import { de } from './de.ts';
import { en, type TextKey } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { sv } from './sv.ts';

/** The kiosk's texts, in every language it is offered in. */
export const texts = createCatalogue(
  { language: 'en', texts: en as Readonly<Record<TextKey, string>> },
  { de, fr, es, it, nl, pl, sv },
);

export type Language = (typeof texts.languages)[number];
export type { TextKey } from './en.ts';
