import Papa from 'papaparse';
import type { Guest, GuestTable } from './read-guests.ts';

/** A link that was made for a ticket. */
export interface MadeLink {
  readonly ticketId: string;
  readonly url: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** What a spreadsheet takes for a formula, and runs (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20]/;

/** A cell that a spreadsheet shows as text: an apostrophe goes before what would be a formula. */
export const asText = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);

export interface LinksFileWords {
  readonly ticket: string;
  readonly link: string;
  readonly validUntil: string;
}

/**
 * The organiser's own table with the links in two more columns, as CSV that spreadsheets open by themselves: a byte order
 * mark, the delimiter of the table, CRLF. Rows without a link are left out.
 */
export function writeLinks(
  table: GuestTable | null,
  guests: readonly Pick<Guest, 'ticketId' | 'cells'>[],
  links: readonly MadeLink[],
  words: LinksFileWords,
): string {
  const byTicket = new Map(links.map((link) => [link.ticketId, link]));
  const width = table?.columns ?? 1;
  const widen = (cells: readonly string[]) => Array.from({ length: width }, (_, column) => cells[column] ?? '');
  const header = table?.hasHeader === true ? widen(table.rows[0] ?? []) : nameless(width, words.ticket);
  const rows = guests.flatMap(({ ticketId, cells }) => {
    const link = byTicket.get(ticketId);
    if (link === undefined) return [];
    return [[...widen(table === null ? [ticketId] : cells), link.url, link.expiresAt]];
  });
  const all = [[...header, words.link, words.validUntil], ...rows].map((row) => row.map(asText));
  return `\uFEFF${Papa.unparse(all, { delimiter: table?.delimiter ?? ',', newline: '\r\n' })}\r\n`;
}

const nameless = (width: number, ticket: string) => (width === 1 ? [ticket] : Array.from({ length: width }, () => ''));

/** Offers a text as a file; it is made here and sent nowhere. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
