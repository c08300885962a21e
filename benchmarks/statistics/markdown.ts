/** Rows as a Markdown table; the first row is the head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

const marks = (name: string) => [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`] as const;

/** A part of a document that a command of its own measures, between its marks. */
export function markedSection(name: string, markdown: string): string {
  const [begin, end] = marks(name);
  return `${begin}\n${markdown}\n${end}`;
}

/** The part with its marks; null where the document has none. */
function sectionOf(document: string, name: string): string | null {
  const [begin, end] = marks(name);
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  return from < 0 || to < from ? null : document.slice(from, to + end.length);
}

/** A document with the part of another copy, where both have one. */
export function keepSection(document: string, name: string, other: string): string {
  const [own, kept] = [sectionOf(document, name), sectionOf(other, name)];
  return own === null || kept === null ? document : document.replace(own, () => kept);
}

/**
 * A document with a new part between its marks.
 * @throws RangeError when the document lacks the marks
 */
export function replaceSection(document: string, name: string, markdown: string): string {
  const own = sectionOf(document, name);
  if (own === null) throw new RangeError(`the document lacks ${marks(name).join(' and ')}`);
  return document.replace(own, () => markedSection(name, markdown));
}
