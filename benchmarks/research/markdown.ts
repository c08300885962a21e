/** Rows as a Markdown table; the first row is the head. @param isNumbers aligns all columns but the first right */
export function markdownTable(rows: readonly (readonly string[])[], isNumbers = false): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [head = [], ...body] = rows;
  const rules = head.map((_, column) => (isNumbers && column > 0 ? '--:' : '---'));
  return [head, rules, ...body].map(line).join('\n');
}

/** Markdown with its paragraphs and list items wrapped at 120 columns; tables, headings and comments stay. */
export const wrapped = (markdown: string): string =>
  markdown.replace(/^(?![#|<]).+(?:\n(?![#|<]).+)*/gm, (block) =>
    block
      .split(/\n(?=- )/)
      .map(wrappedItem)
      .join('\n'),
  );

const wrappedItem = (item: string): string =>
  (item.match(/(?:`[^`]*`|\S)+/g) ?? []).reduce((text, word) => {
    const fits = text.length - text.lastIndexOf('\n') + word.length <= 120;
    return `${text}${fits ? ' ' : item.startsWith('- ') ? '\n  ' : '\n'}${word}`;
  });

/** A sentence, and whether the figures support it. */
export interface Claim {
  readonly claim: string;
  readonly holds: boolean;
  readonly measured: string;
}

export const claimsTable = (claims: readonly Claim[]): string =>
  markdownTable([
    ['claim', 'holds', 'measured'],
    ...claims.map(({ claim, holds, measured }) => [claim, holds ? 'yes' : '**no**', measured]),
  ]);

const marks = (name: string) => [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`] as const;

/** A section of a document that another command measures, between its markers. */
export function markedSection(name: string, markdown: string): string {
  const [begin, end] = marks(name);
  return `${begin}\n${markdown}\n${end}`;
}

/** The section with its markers; null if the document has none. */
export function sectionOf(document: string, name: string): string | null {
  const [begin, end] = marks(name);
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  return from < 0 || to < from ? null : document.slice(from, to + end.length);
}

/** Copies a section from another copy of the document, if both have one. */
export function keepSection(document: string, name: string, other: string): string {
  const [own, kept] = [sectionOf(document, name), sectionOf(other, name)];
  return own === null || kept === null ? document : document.replace(own, () => kept);
}

/**
 * A document with a new section between its markers.
 * @throws RangeError if the document lacks the markers
 */
export function replaceSection(document: string, name: string, markdown: string): string {
  const own = sectionOf(document, name);
  if (own === null) throw new RangeError(`the document lacks ${marks(name).join(' and ')}`);
  return document.replace(own, () => markedSection(name, markdown));
}
