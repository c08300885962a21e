import { createHash } from 'node:crypto';
import type { ConsentVersion, ConsentWording } from '@svc/protocol';
import { canonicalJson } from '../consents/chain.ts';
import euV2 from './texts/eu-v2.json' with { type: 'json' };
import ukV2 from './texts/uk-v2.json' with { type: 'json' };
import usV2 from './texts/us-v2.json' with { type: 'json' };

/** The texts of one language as their file has them: sections by their headings, in their order. */
type SourceText = Omit<ConsentWording, 'consentVersion' | 'language' | 'sections'> & {
  readonly sections: Readonly<Record<string, string>>;
};

/** Available in every version; used when a language is not offered. */
export const FALLBACK_LANGUAGE = 'en';

export interface Wording {
  readonly consentVersion: ConsentVersion;
  /** BCP 47, one of {@link wordingLanguages}. */
  readonly language: string;
  /** The texts with placeholders. */
  readonly wording: ConsentWording;
  /** Hex; of `wording` with placeholders, in canonical form (RFC 8785). */
  readonly sha256: string;
  /** A draft for the organiser's counsel; shown to organisers only. */
  readonly draft: boolean;
}

function publish(consentVersion: ConsentVersion, language: string, { sections, ...text }: SourceText): Wording {
  const headed = Object.entries(sections).map(([heading, text]) => ({ heading, text }));
  const wording = { consentVersion, language, ...text, sections: headed };
  const sha256 = createHash('sha256').update(canonicalJson(wording)).digest('hex');
  return { consentVersion, language, wording, sha256, draft: true };
}

function publishAll(
  consentVersion: ConsentVersion,
  texts: Readonly<Record<string, SourceText>>,
): ReadonlyMap<string, Wording> {
  return new Map(Object.entries(texts).map(([language, text]) => [language, publish(consentVersion, language, text)]));
}

/** By version and language, English first; a published text is never edited (docs/guide/consent.md). */
const published: Readonly<Record<ConsentVersion, ReadonlyMap<string, Wording>>> = {
  'us-v2': publishAll('us-v2', usV2),
  'eu-v2': publishAll('eu-v2', euV2),
  'uk-v2': publishAll('uk-v2', ukV2),
};

/** The languages of a version, English first. */
export function wordingLanguages(version: ConsentVersion): string[] {
  return [...published[version].keys()];
}

/** The offered wording for a tag, after removing as few subtags from its end as needed (RFC 4647 section 3.4). */
function lookup(version: ConsentVersion, tag: string): Wording | undefined {
  const subtags = tag.toLowerCase().split('-');
  for (let length = subtags.length; length > 0; length -= 1) {
    const found = published[version].get(subtags.slice(0, length).join('-'));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The wording in a language, or in English if that language is not offered. @param language BCP 47: `de`, `de-AT` */
export function wordingFor(version: ConsentVersion, language: string): Wording {
  const found = lookup(version, language) ?? published[version].get(FALLBACK_LANGUAGE);
  if (found === undefined) throw new Error('a version without English');
  return found;
}
