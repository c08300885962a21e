import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { countrySchema } from './common.ts';
import { consentVersionFor, currencyFits, usualCurrency } from './consent-version.ts';
import { countries, isCountry, isEeaCountry, territories } from './countries.ts';

/** The 27 EU members and the three other EEA members. */
const EEA = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' ');
const expectedFor = (country: string) => (country === 'US' ? 'us-v2' : EEA.includes(country) ? 'eu-v2' : 'uk-v2');

describe('countries', () => {
  it('are the 249 officially assigned codes, in order and once each', () => {
    expect(countries).toHaveLength(249);
    expect([...new Set(countries)].sort()).toEqual(countries);
  });

  it('all have a name in the Unicode CLDR, which a made-up code has not', () => {
    const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
    expect(countries.filter((code) => names.of(code) === undefined)).toEqual([]);
    expect(names.of('AB')).toBeUndefined();
  });

  it.each(['EU', 'UK', 'XK', 'AN', 'ZZ', 'us', 'USA', '', 'U', '__proto__'])('refuse %j', (code) => {
    expect(isCountry(code)).toBe(false);
  });
});

describe('consent version', () => {
  it.each(countries)('of a list in %s', (country) => {
    const expected = expectedFor(country);
    // a list's country overrides the account's country and currency
    for (const accountCountry of ['US', 'DE', 'GB', null]) {
      for (const billingCurrency of ['USD', 'EUR', 'GBP']) {
        expect(consentVersionFor({ listCountry: country, accountCountry, billingCurrency })).toBe(expected);
        expect(consentVersionFor({ accountCountry: country, billingCurrency })).toBe(expected);
      }
    }
    expect(isEeaCountry(country)).toBe(EEA.includes(country));
  });

  it('of a territory with a code of its own is that of other countries, and told so alike', async () => {
    const consent = await readFile(new URL('../../../docs/guide/consent.md', import.meta.url), 'utf8');
    const text = consent.replaceAll(/\s+/g, ' ');
    for (const [state, codes] of Object.entries(territories)) {
      expect(text).toContain(`\`${state}\` for ${codes.map((code) => `\`${code}\``).join(', ')}`);
      for (const code of codes) {
        expect([code, expectedFor(code), expectedFor(state) === 'uk-v2']).toEqual([code, 'uk-v2', false]);
        expect(isCountry(code) && countrySchema.meta()?.description?.includes(code)).toBe(true);
      }
    }
  });

  it.each([
    ['USD', 'us-v2'],
    ['EUR', 'eu-v2'],
    ['GBP', 'uk-v2'],
    ['CHF', 'uk-v2'],
    ['JPY', 'uk-v2'],
    ['usd', 'uk-v2'],
    ['', 'uk-v2'],
  ])('follows the billing currency %j where no country is known: %s', (billingCurrency, expected) => {
    expect(consentVersionFor({ listCountry: null, accountCountry: null, billingCurrency })).toBe(expected);
    expect(consentVersionFor({ billingCurrency })).toBe(expected);
  });
});

it.each([
  ['US', 'USD', 'EUR GBP'],
  ['DE', 'EUR', 'USD'],
  ['PL', 'EUR PLN', 'USD'],
  ['GB', 'GBP', 'EUR USD'],
  ['JP', 'JPY', 'EUR USD'],
])('the currency of an account in %s is %s rather than %s', (country, fits, others) => {
  const all = (codes: string) => codes.split(' ').map((code) => currencyFits(country, code));
  expect(new Set(all(fits))).toEqual(new Set([true]));
  expect(new Set(all(others))).toEqual(new Set([false]));
  expect([fits.split(' ')[0], null]).toContain(usualCurrency(country));
});
