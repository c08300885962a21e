import { createSay, lookUpLanguage, type Messages, type Say } from '@svc/ui/text';
import { useEffect, useState } from 'preact/hooks';
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

interface SpokenTexts {
  readonly say: Say<TextKey>;
  readonly language: string;
}

/** Of the languages that the page has texts in, the best for a wish. */
export const languageFor = (wanted: readonly string[]): string => lookUpLanguage(wanted, languages) ?? 'en';

/**
 * The page's texts in a language, fetched as they are needed; in English where they cannot be.
 * @returns null until they are there
 */
export function useTexts(language: string): SpokenTexts | null {
  const [texts, setTexts] = useState<{ readonly asked: string; readonly spoken: SpokenTexts } | null>(null);
  useEffect(() => {
    let isWanted = true;
    const take = (spoken: SpokenTexts) => {
      if (isWanted) setTexts({ asked: language, spoken });
    };
    loadMessages(language).then(
      (messages) => take({ say: createSay(language, messages), language }),
      () => take({ say: sayEnglish, language: 'en' }),
    );
    return () => {
      isWanted = false;
    };
  }, [language]);
  return texts?.asked === language ? texts.spoken : null;
}
