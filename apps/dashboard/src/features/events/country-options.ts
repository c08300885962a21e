import { countries } from '@svc/protocol';

/** The countries by their names in a language, in its order. @param locale BCP 47 */
export function countryOptions(locale: string): readonly { readonly value: string; readonly label: string }[] {
  const names = new Intl.DisplayNames([locale], { type: 'region' });
  const collator = new Intl.Collator(locale);
  return countries
    .map((code) => ({ value: code, label: names.of(code) ?? code }))
    .sort((one, other) => collator.compare(one.label, other.label));
}
