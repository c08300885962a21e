import type { ConsentVersion, ConsentWording } from '@svc/protocol';
import { euV2Ar } from './eu-v2/ar.ts';
import { euV2Cs } from './eu-v2/cs.ts';
import { euV2Da } from './eu-v2/da.ts';
import { euV2De } from './eu-v2/de.ts';
import { euV2En } from './eu-v2/en.ts';
import { euV2Es } from './eu-v2/es.ts';
import { euV2Fr } from './eu-v2/fr.ts';
import { euV2It } from './eu-v2/it.ts';
import { euV2Nl } from './eu-v2/nl.ts';
import { euV2Pl } from './eu-v2/pl.ts';
import { euV2Pt } from './eu-v2/pt.ts';
import { euV2Sv } from './eu-v2/sv.ts';
import { ukV2En } from './uk-v2/en.ts';
import { usV2En } from './us-v2/en.ts';
import { usV2Es } from './us-v2/es.ts';

/** Content of a file in texts/: a wording without version and language. */
export type WordingText = Omit<ConsentWording, 'consentVersion' | 'language'>;

/** Version → language → texts. A published text is never edited: changes need a new version (docs/consent.md). */
export const wordingTexts: Readonly<Record<ConsentVersion, Readonly<Record<string, WordingText>>>> = {
  'us-v2': { en: usV2En, es: usV2Es },
  'eu-v2': {
    en: euV2En,
    ar: euV2Ar,
    cs: euV2Cs,
    da: euV2Da,
    de: euV2De,
    es: euV2Es,
    fr: euV2Fr,
    it: euV2It,
    nl: euV2Nl,
    pl: euV2Pl,
    pt: euV2Pt,
    sv: euV2Sv,
  },
  'uk-v2': { en: ukV2En },
};
