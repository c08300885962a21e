import compile from 'icu-minify/compile';
import { describe, expect, it } from 'vitest';
import { isolateValues, keepTogether } from '../build/compile-messages.ts';
import { readTexts } from '../build/split-texts.ts';
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

  it('has a name of its own and a direction', () => {
    expect(nameOfLanguage('fr')).toBe('Français');
    expect(nameOfLanguage('fi')).toBe('Suomi');
    expect(directionOfLanguage('ar-EG')).toBe('rtl');
    expect(directionOfLanguage('de')).toBe('ltr');
  });
});

it('short words with a hyphen end no line in it, but identifiers and addresses stay as they are', () => {
  const told = keepTogether(
    '{n, plural, one {E-Mail-Adresse, QR-Code, peut-être} other {check-ins, Gesichts-Check-in}}',
  );
  expect(told).toBe('{n, plural, one {E‑Mail-Adresse, QR‑Code, peut-être} other {check‑ins, Gesichts-Check‑in}}');
  const same = 'eu-v2, A-1017, guest-links.csv, https://a.example/check-ins, /v1/check-in, 2026-12-24';
  expect(keepTogether(same)).toBe(same);
});

it('a value within a language from the right to the left keeps its own direction', () => {
  const text = compile('بطاقة {id}، {count, plural, one {باب {door}} other {#}}');
  const say = createSay('ar', JSON.parse(isolateValues(JSON.stringify({ text }))));
  expect(say('text', { id: '1017-A', count: 1, door: 'North' })).toBe(
    'بطاقة \u20681017-A\u2069، باب \u2068North\u2069',
  );
  expect(say('text', { id: '1017-A', count: 7, door: 'North' })).toMatch(/، .$/u);
});

it('a number is said with the plural of the language', () => {
  const say = createSay('pl', {
    tries: compile('{count, plural, one {# próba} few {# próby} many {# prób} other {# próby}}'),
  });
  expect([1, 2, 1500].map((count) => say('tries', { count }))).toEqual(['1 próba', '2 próby', '1500 prób']);
});

it('values are inserted into a message as text', () => {
  const say = createSay('en', { hello: compile('Hello {name}') });
  expect(say('hello', { name: '<b>Ann</b> {count}' })).toBe('Hello <b>Ann</b> {count}');
});

describe('a table of texts', () => {
  it('is a row a text and a column a language', () => {
    const texts = readTexts('key\ten\tde\npage.title\tHi “you”\t\n');
    expect([...texts]).toEqual([
      ['en', { 'page.title': 'Hi “you”' }],
      ['de', { 'page.title': '' }],
    ]);
  });

  it.each([
    ['a tab in a text', 'a\tHi\tthere\tHallo\n'],
    ['a text without a language', 'a\tHi\n'],
    ['a line end in a text', 'a\tHi\n\tHallo\n'],
    ['a key twice', 'a\tHi\tHallo\nb\tHi\tHallo\na\tHi\tHallo\n'],
    ['an empty row', 'a\tHi\tHallo\n\n'],
  ])('has not %s', (_fault, rows) => {
    expect(() => readTexts(`key\ten\tde\n${rows}`)).toThrow(/^texts\.tsv, row \d: /);
  });
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
