/** What a wording leaves open, to be filled in where it is shown. */
export const wordingPlaceholders = ['organiser', 'privacyUrl', 'deletionDate'] as const;
export type WordingPlaceholder = (typeof wordingPlaceholders)[number];

/**
 * A text of a wording with its placeholders filled in; a value is taken as text and never looked into for placeholders.
 */
export function fillWording(text: string, values: Readonly<Record<WordingPlaceholder, string>>): string {
  return text.replace(/\{(organiser|privacyUrl|deletionDate)\}/g, (_whole, name: WordingPlaceholder) => values[name]);
}
