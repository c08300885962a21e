import { isEeaCountry } from './countries.ts';

/** Placeholders in a consent wording, filled in where the wording is shown. */
export const wordingPlaceholders = ['organiser', 'privacyUrl', 'deletionDate'] as const;
type WordingPlaceholder = (typeof wordingPlaceholders)[number];

/** Fills the placeholders of a wording's text. Placeholders within a value are not replaced. */
export function fillWording(text: string, values: Readonly<Record<WordingPlaceholder, string>>): string {
  return text.replace(/\{(organiser|privacyUrl|deletionDate)\}/g, (_whole, name: WordingPlaceholder) => values[name]);
}

/**
 * Versions of the consent wording: the US written release, the EU and EEA wording, the wording of all other countries.
 */
export const consentVersions = ['us-v2', 'eu-v2', 'uk-v2'] as const;
export type ConsentVersion = (typeof consentVersions)[number];

/**
 * The one consent version that a list accepts: by the list's country, else the account's, else the billing currency.
 * @param o countries as ISO 3166-1 alpha-2, currency as ISO 4217, all in upper case
 */
export function consentVersionFor(o: {
  readonly listCountry?: string | null | undefined;
  readonly accountCountry?: string | null | undefined;
  readonly billingCurrency: string;
}): ConsentVersion {
  const country = o.listCountry ?? o.accountCountry;
  if (country !== null && country !== undefined) {
    if (country === 'US') return 'us-v2';
    return isEeaCountry(country) ? 'eu-v2' : 'uk-v2';
  }
  if (o.billingCurrency === 'USD') return 'us-v2';
  return o.billingCurrency === 'EUR' ? 'eu-v2' : 'uk-v2';
}

/** The billing currency of an account without another: null where a country alone does not tell it. */
export function usualCurrency(country: string | undefined): string | null {
  if (country === 'GB') return 'GBP';
  if (country === 'US') return 'USD';
  return country === undefined || isEeaCountry(country) ? 'EUR' : null;
}

/** Whether a billing currency is one of the country: not dollars or euros of elsewhere, and in the US dollars alone. */
export function currencyFits(country: string, billingCurrency: string): boolean {
  const ofCountry = consentVersionFor({ accountCountry: country, billingCurrency });
  const ofCurrency = consentVersionFor({ billingCurrency });
  return ofCountry === ofCurrency || (ofCurrency === 'uk-v2' && ofCountry !== 'us-v2');
}

/** When each wording was published; no consent to it can be earlier. */
export const consentVersionPublishedAt: Readonly<Record<ConsentVersion, string>> = {
  'us-v2': '2026-11-21T00:00:00.000Z',
  'eu-v2': '2026-11-21T00:00:00.000Z',
  'uk-v2': '2026-11-21T00:00:00.000Z',
};

/** The organiser's own name of the text of a form that is signed on paper. */
export const PAPER_FORM_VERSION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** No signature on paper is taken to be older. */
export const EARLIEST_PAPER_CONSENT = '2000-01-01T00:00:00.000Z';
