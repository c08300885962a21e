import { createSay, lookUpLanguage, type Say } from '@svc/ui/text';
import { useEffect, useState } from 'preact/hooks';
import { languages, loadMessages, sayEnglish, type TextKey } from '../text/texts.ts';

export interface SpokenTexts {
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
