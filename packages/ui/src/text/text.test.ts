import { describe, expect, it } from 'vitest';
import { createCatalogue, placeholdersOf } from './catalogue.ts';
import { directionOfLanguage, lookUpLanguage, nameOfLanguage } from './language.ts';

describe('the language', () => {
  const available = ['en', 'de', 'zh-Hant', 'pt-BR'] as const;
  it.each([
    [['de-CH', 'en'], 'de'],
    [['zh-Hant-TW'], 'zh-Hant'],
    [['zh-Hans-CN', 'en-GB'], 'en'],
    [['DE'], 'de'],
    [['pt'], null],
    [['de-x-private'], 'de'],
    [[], null],
  ])('for %j is %s', (wanted, found) => {
    expect(lookUpLanguage(wanted, available)).toBe(found);
  });

  it('has a name of its own and a direction', () => {
    expect(nameOfLanguage('fr')).toBe('Français');
    expect(directionOfLanguage('ar-EG')).toBe('rtl');
    expect(directionOfLanguage('de')).toBe('ltr');
  });
});

describe('a catalogue', () => {
  const catalogue = createCatalogue(
    { language: 'en', texts: { people: '{count} people', hello: 'Hello' } },
    { de: { people: '{count} Personen' } },
  );

  it('says what a language lacks in the fallback language', () => {
    const say = catalogue.in('de');
    expect(say('people', { count: 3 })).toBe('3 Personen');
    expect(say('hello')).toBe('Hello');
  });

  it('shows a value that was forgotten by its name', () => {
    expect(catalogue.in('en')('people')).toBe('{count} people');
    expect(placeholdersOf('{a} and {b}')).toEqual(['a', 'b']);
  });

  it('names its languages, the fallback first', () => {
    expect(catalogue.languages).toEqual(['en', 'de']);
  });
});
