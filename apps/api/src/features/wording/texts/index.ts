import type { ConsentVersion } from '@svc/protocol';
import type { WordingText } from '../text.ts';
import { euV2En } from './eu-v2/en.ts';
import { ukV2En } from './uk-v2/en.ts';
import { usV2En } from './us-v2/en.ts';

/** Version → language → texts. What is published is never edited: a new wording is a new version (docs/consent.md). */
export const wordingTexts: Readonly<Record<ConsentVersion, Readonly<Record<string, WordingText>>>> = {
  'us-v2': { en: usV2En },
  'eu-v2': { en: euV2En },
  'uk-v2': { en: ukV2En },
};
