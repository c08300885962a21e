import { csvLines } from '../../components/files.ts';
import type { Guest, GuestTable } from './read-guests.ts';

/** A link that was made for a ticket. */
export interface MadeLink {
  readonly ticketId: string;
  readonly url: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

export interface LinksFileWords {
  readonly ticket: string;
  readonly link: string;
  readonly validUntil: string;
}

/**
 * The organiser's own table with the links in two more columns, as CSV with the delimiter of that table. Rows without a
 * link are left out.
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
  const all = [[...header, words.link, words.validUntil], ...rows];
  return csvLines(all, table?.delimiter);
}

const nameless = (width: number, ticket: string) => (width === 1 ? [ticket] : Array.from({ length: width }, () => ''));
