import { describe, expect, it } from 'vitest';
import { consentVersionFor } from './consent-version.ts';
import { countries, isCountry, isEeaCountry } from './countries.ts';

/** Written out a second time, by name, so that a slip in the code list shows. */
const EEA: Readonly<Record<string, string>> = {
  AT: 'Austria',
  BE: 'Belgium',
  BG: 'Bulgaria',
  HR: 'Croatia',
  CY: 'Cyprus',
  CZ: 'Czechia',
  DK: 'Denmark',
  EE: 'Estonia',
  FI: 'Finland',
  FR: 'France',
  DE: 'Germany',
  GR: 'Greece',
  HU: 'Hungary',
  IE: 'Ireland',
  IT: 'Italy',
  LV: 'Latvia',
  LT: 'Lithuania',
  LU: 'Luxembourg',
  MT: 'Malta',
  NL: 'Netherlands',
  PL: 'Poland',
  PT: 'Portugal',
  RO: 'Romania',
  SK: 'Slovakia',
  SI: 'Slovenia',
  ES: 'Spain',
  SE: 'Sweden',
  IS: 'Iceland',
  LI: 'Liechtenstein',
  NO: 'Norway',
};

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
    const expected = country === 'US' ? 'us-v2' : country in EEA ? 'eu-v2' : 'uk-v2';
    // neither the account's country nor its currency has a say once the list has a country
    expect(consentVersionFor({ listCountry: country, accountCountry: 'US', billingCurrency: 'EUR' })).toBe(expected);
    expect(consentVersionFor({ accountCountry: country, billingCurrency: 'USD' })).toBe(expected);
    expect(isEeaCountry(country)).toBe(country in EEA);
  });

  it.each([
    ['USD', 'us-v2'],
    ['EUR', 'eu-v2'],
    ['GBP', 'uk-v2'],
    ['CHF', 'uk-v2'],
  ])('follows the billing currency %s where no country is known', (billingCurrency, expected) => {
    expect(consentVersionFor({ listCountry: null, accountCountry: null, billingCurrency })).toBe(expected);
  });

  it('knows thirty countries of the EEA', () => {
    expect(countries.filter(isEeaCountry)).toHaveLength(30);
    expect(Object.keys(EEA)).toHaveLength(30);
  });
});
