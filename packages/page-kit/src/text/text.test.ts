import compile from 'icu-minify/compile';
import { describe, expect, it } from 'vitest';
import { createSay, directionOfLanguage, inRegion, lookUpLanguage, nameOfLanguage } from './say.ts';
import { createTexts } from './texts.ts';

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

  it.each([
    ['en', ['de-DE', 'en-US'], 'en-US'],
    ['en', ['de-AT', 'de'], 'en-AT'],
    ['de', ['de', 'zh-Hant-TW'], 'de-TW'],
    ['es', ['en', 'es-419'], 'es-419'],
    ['fr', ['en', 'de'], 'fr'],
    ['sv', [], 'sv'],
  ])('%s of somebody who prefers %j is written as in %s', (language, wanted, variant) => {
    expect(inRegion(language, wanted)).toBe(variant);
  });

  it('of a region has its hours', () => {
    const six = (tag: string) =>
      new Intl.DateTimeFormat(tag, { timeStyle: 'short' }).format(new Date(2026, 2, 2, 18, 2));
    expect(six(inRegion('en', ['de-DE']))).toBe('18:02');
    expect(six(inRegion('en', ['en-US']))).toMatch(/^6:02.PM$/);
  });

  it('has a name of its own and a direction', () => {
    expect(nameOfLanguage('fr')).toBe('Français');
    expect(nameOfLanguage('fi')).toBe('Suomi');
    expect(directionOfLanguage('ar-EG')).toBe('rtl');
    expect(directionOfLanguage('de')).toBe('ltr');
  });
});

it.each([
  [1, '1 próba'],
  [2, '2 próby'],
  [5, '5 prób'],
  [1500, '1500 prób'],
])('%i is said with the plural of the language', (count, text) => {
  const say = createSay('pl', {
    tries: compile('{count, plural, one {# próba} few {# próby} many {# prób} other {# próby}}'),
  });
  expect(say('tries', { count })).toBe(text);
});

it('values are inserted into a message as text', () => {
  const say = createSay('en', { hello: compile('Hello {name}') });
  expect(say('hello', { name: '<b>Ann</b> {count}' })).toBe('Hello <b>Ann</b> {count}');
});

describe('texts', () => {
  const files = {
    './de.json': () => Promise.resolve({ people: 'Personen', hello: 'Hallo' }),
    './fr.json': () => Promise.reject(new Error('no connection')),
  };
  const texts = createTexts({ people: 'people', hello: 'Hello' }, files);

  it('are there in English and in every language that has a file', async () => {
    expect(texts.languages).toEqual(['en', 'de', 'fr']);
    expect(texts.languageFor(['de-AT', 'fr'])).toBe('de');
    expect(texts.languageFor(['pl'])).toBe('en');
    expect(texts.loaded('de')).toBeNull();
    expect((await texts.load('de')).say('hello')).toBe('Hallo');
    expect(texts.loaded('de')?.say('hello')).toBe('Hallo');
    expect((await texts.load('pl')).language).toBe('en');
  });

  it('that cannot be fetched are rejected', async () => {
    await expect(texts.load('fr')).rejects.toThrow();
  });
});
