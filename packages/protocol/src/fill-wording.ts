/** Placeholders in a consent wording, filled in where the wording is shown. */
export const wordingPlaceholders = ['organiser', 'privacyUrl', 'deletionDate'] as const;
export type WordingPlaceholder = (typeof wordingPlaceholders)[number];

/** Fills the placeholders of a wording's text. Placeholders within a value are not replaced. */
export function fillWording(text: string, values: Readonly<Record<WordingPlaceholder, string>>): string {
  return text.replace(/\{(organiser|privacyUrl|deletionDate)\}/g, (_whole, name: WordingPlaceholder) => values[name]);
}
