import { readFileSync } from 'node:fs';
import {
  type ConsentVersion,
  type ConsentWording,
  consentVersions,
  consentWordingSchema,
  fillWording,
  wordingPlaceholders,
} from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { wordingFor, wordingLanguages } from './wording.ts';

/** SHA-256 by version and language of every published wording. Lines are only added, never changed. */
const published: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(new URL('./published.json', import.meta.url), 'utf8'),
);
const all = consentVersions.flatMap((version) =>
  wordingLanguages(version).map((language): [ConsentVersion, string] => [version, language]),
);

function textsOf({ title, introduction, sections, boxes, decline, withdraw }: ConsentWording): Record<string, string> {
  const numbered = sections.flatMap(({ heading, text }, index) => [
    [`heading ${index}`, heading],
    [`section ${index}`, text],
  ]);
  return { title, introduction, ...Object.fromEntries(numbered), ...boxes, decline, withdraw };
}

const placeholdersOf = (text: string) => [...text.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name).sort();

describe('published wordings', () => {
  it('never change: another text is another version', () => {
    const now: Record<string, Record<string, string>> = {};
    for (const [version, language] of all) {
      now[version] = { ...now[version], [language]: wordingFor(version, language).sha256 };
    }
    expect(now).toEqual(published);
  });

  it.each(consentVersions)('%s is offered in the order of published.json, English first', (version) => {
    expect(wordingLanguages(version)).toEqual(Object.keys(published[version] ?? {}));
    expect(wordingLanguages(version)[0]).toBe('en');
  });
});

describe.each(all)('%s in %s', (version, language) => {
  const { wording, draft } = wordingFor(version, language);
  const english = textsOf(wordingFor(version, 'en').wording);

  it('has the shape of the wire', () => {
    expect(consentWordingSchema.parse(wording)).toEqual(wording);
    expect([wording.consentVersion, wording.language]).toEqual([version, language]);
  });

  it('is a draft, and does not say so to guests', () => {
    expect(draft).toBe(true);
    expect(JSON.stringify(wording)).not.toMatch(
      /draft|entwurf|brouillon|borrador|bozza|concept|projekt|utkast|rascunho|udkast|návrh|مسودة/i,
    );
  });

  it('says what the English text says, with the same placeholders in the same places', () => {
    const texts = textsOf(wording);
    expect(Object.keys(texts)).toEqual(Object.keys(english));
    for (const [place, text] of Object.entries(texts)) {
      const [here, there] = [new Set(placeholdersOf(text)), new Set(placeholdersOf(english[place] ?? ''))];
      // A language may need the organiser's name where English uses a pronoun, or the reverse.
      if (place.startsWith('section')) {
        here.delete('organiser');
        there.delete('organiser');
      }
      expect([place, here]).toEqual([place, there]);
      expect([...here].filter((name) => !wordingPlaceholders.some((known) => known === name))).toEqual([]);
    }
  });

  it('is clean text: composed, no stray spaces, no straight quotes, no markup', () => {
    for (const text of Object.values(textsOf(wording))) {
      expect(text).toBe(text.normalize('NFC').trim());
      expect(text).not.toMatch(/ {2}|[<>"'\t\n]/);
    }
  });

  it('tells who, until when and how to withdraw', () => {
    const { boxes, withdraw, introduction } = wording;
    expect(introduction).toContain('{organiser}');
    expect(boxes.explicitBiometricConsent).toContain('{organiser}');
    expect(boxes.writtenRelease).toContain('{deletionDate}');
    expect(withdraw).toContain('{privacyUrl}');
  });
});

describe('a language', () => {
  it.each([
    ['de', 'de'],
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['de-Latn-AT-1996', 'de'],
    ['xx', 'en'],
    ['xx-BR', 'en'],
    ['', 'en'],
    ['de_AT', 'en'],
    ['__proto__', 'en'],
    ['-', 'en'],
  ])('%j is answered in %s', (asked, answered) => {
    expect(wordingFor('eu-v2', asked).language).toBe(answered);
  });
});

describe('placeholders', () => {
  const values = {
    organiser: 'A {privacyUrl} $& Hall',
    privacyUrl: 'https://example.org/p',
    deletionDate: '1 May 2026',
  };
  it('are filled in once, and values are taken as they are', () => {
    expect(fillWording('{organiser}: {privacyUrl}, {deletionDate} {organiser} {unknown}', values)).toBe(
      'A {privacyUrl} $& Hall: https://example.org/p, 1 May 2026 A {privacyUrl} $& Hall {unknown}',
    );
  });
});
