import type { WordingText } from '../wording.ts';

/** Sections by their headings, in their order. */
type SourceText = Omit<WordingText, 'sections'> & { readonly sections: Readonly<Record<string, string>> };

/** Texts by language, as they are published. */
export const wordingTexts = (texts: Readonly<Record<string, SourceText>>): Readonly<Record<string, WordingText>> =>
  Object.fromEntries(
    Object.entries(texts).map(([language, { sections, ...rest }]) => [
      language,
      { ...rest, sections: Object.entries(sections).map(([heading, text]) => ({ heading, text })) },
    ]),
  );
