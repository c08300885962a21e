/** The 249 officially assigned codes of ISO 3166-1 alpha-2, without reserved and user-assigned ones (EU, UK, XK). */
const CODES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ ' +
  'NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
  'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

/** ISO 3166-1 alpha-2, officially assigned, in order. */
export const countries: readonly string[] = CODES.split(' ');
const COUNTRY_SET: ReadonlySet<string> = new Set(countries);

const EEA_SET: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK IS LI NO'.split(' '),
);

/**
 * Codes of their own of places in which the law of the United States, or of the EU by a member state, applies; by the
 * code of that state. A code is taken as it is written, so these are none of the United States, EU and EEA.
 */
export const territories = {
  US: ['AS', 'GU', 'MP', 'PR', 'UM', 'VI'],
  FR: ['GF', 'GP', 'MF', 'MQ', 'RE', 'YT'],
  FI: ['AX'],
} as const;

/** True for an officially assigned code in upper case. */
export function isCountry(code: string): boolean {
  return COUNTRY_SET.has(code);
}

/** True for the 27 member states of the European Union and for Iceland, Liechtenstein and Norway. */
export function isEeaCountry(code: string): boolean {
  return EEA_SET.has(code);
}
