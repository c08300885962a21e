import { describe, expect, it } from 'vitest';
import { consentVersionFor } from './consent-version.ts';
import { countries, isCountry, isEeaCountry } from './countries.ts';

/**
 * The expected version of every country, written out so that any change shows. eu-v2 for the 27 EU members and the
 * three other EEA members; territories with a code of their own (Réunion, Åland) follow that code.
 */
const EXPECTED: ReadonlyMap<string, string> = new Map(
  `
  AD uk-v2  AE uk-v2  AF uk-v2  AG uk-v2  AI uk-v2  AL uk-v2  AM uk-v2  AO uk-v2
  AQ uk-v2  AR uk-v2  AS uk-v2  AT eu-v2  AU uk-v2  AW uk-v2  AX uk-v2  AZ uk-v2
  BA uk-v2  BB uk-v2  BD uk-v2  BE eu-v2  BF uk-v2  BG eu-v2  BH uk-v2  BI uk-v2
  BJ uk-v2  BL uk-v2  BM uk-v2  BN uk-v2  BO uk-v2  BQ uk-v2  BR uk-v2  BS uk-v2
  BT uk-v2  BV uk-v2  BW uk-v2  BY uk-v2  BZ uk-v2  CA uk-v2  CC uk-v2  CD uk-v2
  CF uk-v2  CG uk-v2  CH uk-v2  CI uk-v2  CK uk-v2  CL uk-v2  CM uk-v2  CN uk-v2
  CO uk-v2  CR uk-v2  CU uk-v2  CV uk-v2  CW uk-v2  CX uk-v2  CY eu-v2  CZ eu-v2
  DE eu-v2  DJ uk-v2  DK eu-v2  DM uk-v2  DO uk-v2  DZ uk-v2  EC uk-v2  EE eu-v2
  EG uk-v2  EH uk-v2  ER uk-v2  ES eu-v2  ET uk-v2  FI eu-v2  FJ uk-v2  FK uk-v2
  FM uk-v2  FO uk-v2  FR eu-v2  GA uk-v2  GB uk-v2  GD uk-v2  GE uk-v2  GF uk-v2
  GG uk-v2  GH uk-v2  GI uk-v2  GL uk-v2  GM uk-v2  GN uk-v2  GP uk-v2  GQ uk-v2
  GR eu-v2  GS uk-v2  GT uk-v2  GU uk-v2  GW uk-v2  GY uk-v2  HK uk-v2  HM uk-v2
  HN uk-v2  HR eu-v2  HT uk-v2  HU eu-v2  ID uk-v2  IE eu-v2  IL uk-v2  IM uk-v2
  IN uk-v2  IO uk-v2  IQ uk-v2  IR uk-v2  IS eu-v2  IT eu-v2  JE uk-v2  JM uk-v2
  JO uk-v2  JP uk-v2  KE uk-v2  KG uk-v2  KH uk-v2  KI uk-v2  KM uk-v2  KN uk-v2
  KP uk-v2  KR uk-v2  KW uk-v2  KY uk-v2  KZ uk-v2  LA uk-v2  LB uk-v2  LC uk-v2
  LI eu-v2  LK uk-v2  LR uk-v2  LS uk-v2  LT eu-v2  LU eu-v2  LV eu-v2  LY uk-v2
  MA uk-v2  MC uk-v2  MD uk-v2  ME uk-v2  MF uk-v2  MG uk-v2  MH uk-v2  MK uk-v2
  ML uk-v2  MM uk-v2  MN uk-v2  MO uk-v2  MP uk-v2  MQ uk-v2  MR uk-v2  MS uk-v2
  MT eu-v2  MU uk-v2  MV uk-v2  MW uk-v2  MX uk-v2  MY uk-v2  MZ uk-v2  NA uk-v2
  NC uk-v2  NE uk-v2  NF uk-v2  NG uk-v2  NI uk-v2  NL eu-v2  NO eu-v2  NP uk-v2
  NR uk-v2  NU uk-v2  NZ uk-v2  OM uk-v2  PA uk-v2  PE uk-v2  PF uk-v2  PG uk-v2
  PH uk-v2  PK uk-v2  PL eu-v2  PM uk-v2  PN uk-v2  PR uk-v2  PS uk-v2  PT eu-v2
  PW uk-v2  PY uk-v2  QA uk-v2  RE uk-v2  RO eu-v2  RS uk-v2  RU uk-v2  RW uk-v2
  SA uk-v2  SB uk-v2  SC uk-v2  SD uk-v2  SE eu-v2  SG uk-v2  SH uk-v2  SI eu-v2
  SJ uk-v2  SK eu-v2  SL uk-v2  SM uk-v2  SN uk-v2  SO uk-v2  SR uk-v2  SS uk-v2
  ST uk-v2  SV uk-v2  SX uk-v2  SY uk-v2  SZ uk-v2  TC uk-v2  TD uk-v2  TF uk-v2
  TG uk-v2  TH uk-v2  TJ uk-v2  TK uk-v2  TL uk-v2  TM uk-v2  TN uk-v2  TO uk-v2
  TR uk-v2  TT uk-v2  TV uk-v2  TW uk-v2  TZ uk-v2  UA uk-v2  UG uk-v2  UM uk-v2
  US us-v2  UY uk-v2  UZ uk-v2  VA uk-v2  VC uk-v2  VE uk-v2  VG uk-v2  VI uk-v2
  VN uk-v2  VU uk-v2  WF uk-v2  WS uk-v2  YE uk-v2  YT uk-v2  ZA uk-v2  ZM uk-v2
  ZW uk-v2
`
    .trim()
    .split(/\s{2,}/)
    .map((cell): [string, string] => [cell.slice(0, 2), cell.slice(3)]),
);
const countOf = (version: string) => [...EXPECTED.values()].filter((expected) => expected === version).length;

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
  it('is expected for each of the 249 countries', () => {
    expect([...EXPECTED.keys()]).toEqual(countries);
    expect([countOf('us-v2'), countOf('eu-v2'), countOf('uk-v2')]).toEqual([1, 30, 218]);
  });

  it.each([...EXPECTED])('of a list in %s is %s', (country, expected) => {
    // a list's country overrides the account's country and currency
    for (const accountCountry of ['US', 'DE', 'GB', null]) {
      for (const billingCurrency of ['USD', 'EUR', 'GBP']) {
        expect(consentVersionFor({ listCountry: country, accountCountry, billingCurrency })).toBe(expected);
        expect(consentVersionFor({ accountCountry: country, billingCurrency })).toBe(expected);
      }
    }
    expect(isEeaCountry(country)).toBe(expected === 'eu-v2');
  });

  it.each([
    ['USD', 'us-v2'],
    ['EUR', 'eu-v2'],
    ['GBP', 'uk-v2'],
    ['CHF', 'uk-v2'],
    ['SEK', 'uk-v2'],
    ['PLN', 'uk-v2'],
    ['NOK', 'uk-v2'],
    ['CAD', 'uk-v2'],
    ['JPY', 'uk-v2'],
    ['usd', 'uk-v2'],
    ['', 'uk-v2'],
  ])('follows the billing currency %j where no country is known: %s', (billingCurrency, expected) => {
    expect(consentVersionFor({ listCountry: null, accountCountry: null, billingCurrency })).toBe(expected);
    expect(consentVersionFor({ billingCurrency })).toBe(expected);
  });
});
