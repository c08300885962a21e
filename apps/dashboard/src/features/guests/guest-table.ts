import { isEmail, MAX_PERSON_ID_CODE_POINTS } from '@svc/protocol';
import Papa from 'papaparse';
import { csvLines, plainCell } from '../../components/files.ts';
import { plain, say } from '../../text/index.ts';

export interface GuestTable {
  readonly rows: readonly (readonly string[])[];
  /** Of the widest row. */
  readonly columns: number;
  /** Between two cells of the download: the table's own, where spreadsheets know it. */
  readonly delimiter: string;
  /** The first row names the columns. */
  readonly hasHeader: boolean;
}

export type GuestField = 'ticket' | 'email' | 'language' | 'name';
export const guestFields: readonly GuestField[] = ['ticket', 'email', 'language', 'name'];

/** Column of each field; null for none. */
export type Mapping = Readonly<Record<GuestField, number | null>>;

/** A row that a link can be made for. */
export interface Guest {
  /** Line in the table, from 1, its header included. */
  readonly line: number;
  readonly ticketId: string;
  /** Empty where there is none. */
  readonly email: string;
  /** BCP 47; empty where there is none. */
  readonly language: string;
  /** Empty where there is none. It stays in the browser. */
  readonly name: string;
  readonly cells: readonly string[];
}

export type RowFault =
  | 'no-ticket'
  | 'ticket-too-long'
  | 'invalid-ticket'
  | 'repeated'
  | 'linked'
  | 'no-email'
  | 'invalid-email'
  | 'invalid-language';

export interface FaultyRow {
  readonly line: number;
  readonly ticketId: string;
  readonly reason: RowFault;
  /** Line on which the ticket stands first, of `repeated`. */
  readonly firstLine: number | null;
}

const DELIMITERS = [';', '\t', ',', '|'];
/** Excel's first line that names the delimiter. */
const EXCEL_SEPARATOR = /^sep=(.)(\r?\n|\r|$)/i;

const NAMES: Readonly<Record<GuestField, RegExp>> = {
  email: /^(e-?mail|mail|courriel|correo|adresse ?e-?mail)|e-?mail/i,
  language: /^(lang|language|sprache|langue|idioma|lingua|taal|język|locale)/i,
  ticket:
    /(ticket|barcode|booking|buchung|order|bestell|billet|karte|member|mitglied|person|guest ?id|gast ?id)|^(id|code|nr|no|number|nummer)\b/i,
  name: /(name|nom|nombre|gast|guest|besucher|attendee)/i,
};
const GIVEN_NAME = /^(vorname|first|given|forename|prénom|nombre|nome$|voornaam|fornavn|förnamn|imię)/i;
const FAMILY_NAME = /^(name$|nachname|last|family|familien|surname|nom$|apellido|cognome|achternaam|eftern|nazwisko)/i;
const LANGUAGE = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/;

const isNamed = (cell: string) => Object.values(NAMES).some((pattern) => pattern.test(cell.trim()));

/** Whether a first row names the columns: it holds no address, and a name of one, or it differs from all other rows. */
function looksLikeHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, ...rest] = rows;
  if (first === undefined || first.some((cell) => isEmail(cell.trim()) || cell.trim() === '')) return false;
  const hasDigits = first.some((cell) => /\d/.test(cell));
  if (first.some(isNamed) && !hasDigits) return true;
  return !hasDigits && rest.length > 0 && rest.slice(0, 20).every((row) => row.some((cell) => /[\d@]/.test(cell)));
}

/** Reads CSV in any of its ways, or lines of tickets: quotes, byte order marks, Excel's semicolons. */
export function readTable(text: string): GuestTable {
  const whole = text.replace(/^\uFEFF/, '');
  const named = EXCEL_SEPARATOR.exec(whole);
  const body = named === null ? whole : whole.slice(named[0].length);
  const { data, meta } = Papa.parse<string[]>(body, {
    delimiter: named?.[1] ?? '',
    delimitersToGuess: DELIMITERS,
    skipEmptyLines: 'greedy',
  });
  const rows = data.map((row) => row.map(plainCell));
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const delimiter = DELIMITERS.includes(meta.delimiter) ? meta.delimiter : ',';
  return { rows, columns, delimiter, hasHeader: looksLikeHeader(rows) };
}

/** Which column holds what, by the names in the header, else by what the cells look like. */
export function guessMapping({ rows, columns, hasHeader }: GuestTable): Mapping {
  const header = hasHeader ? (rows[0] ?? []) : [];
  const body = (hasHeader ? rows.slice(1) : rows).slice(0, 200);
  const taken = new Set<number>();
  const take = (find: (column: number) => boolean): number | null => {
    for (let column = 0; column < columns; column += 1) {
      if (taken.has(column) || !find(column)) continue;
      taken.add(column);
      return column;
    }
    return null;
  };
  const cellsOf = (column: number) => body.map((row) => row[column]?.trim() ?? '').filter((cell) => cell !== '');
  const most = (column: number, test: (cell: string) => boolean) => {
    const cells = cellsOf(column);
    return cells.length > 0 && cells.filter(test).length > cells.length / 2;
  };
  const byName = (field: GuestField) => take((column) => NAMES[field].test(header[column]?.trim() ?? ''));
  const email = byName('email') ?? take((column) => most(column, isEmail));
  const language =
    byName('language') ?? take((column) => most(column, (cell) => /^[a-z]{2}([-_][A-Za-z]{2})?$/.test(cell)));
  const ticket =
    byName('ticket') ??
    take((column) => most(column, (cell) => /\d/.test(cell))) ??
    take((column) => !NAMES.name.test(header[column] ?? '') && cellsOf(column).length > 0) ??
    take(() => true);
  return { email, language, ticket, name: byName('name') };
}

/** What tells the name in a row: that of one column, or the given and the family name of two. */
function readName(header: readonly string[], chosen: number | null): (cells: readonly string[]) => string {
  const parts = [GIVEN_NAME, FAMILY_NAME].map((part) => header.findIndex((cell) => part.test(cell.trim())));
  const columns = parts.includes(-1) || !parts.includes(chosen ?? -1) ? [chosen ?? -1] : parts;
  return (cells) => columns.flatMap((column) => cells[column]?.trim() || []).join(' ');
}

function ticketFault(ticketId: string): RowFault | null {
  if (ticketId === '') return 'no-ticket';
  if ([...ticketId].length > MAX_PERSON_ID_CODE_POINTS) return 'ticket-too-long';
  return ticketId.includes('\u0000') || !ticketId.isWellFormed() ? 'invalid-ticket' : null;
}

export interface CheckedGuests {
  readonly guests: readonly Guest[];
  readonly faulty: readonly FaultyRow[];
}

/**
 * Looks at each row before anything is sent.
 * @param o.needsEmail false: addresses are not looked at
 * @param o.linked tickets that have a valid link
 */
export function checkRows(
  { rows, hasHeader }: GuestTable,
  mapping: Mapping,
  o: { readonly needsEmail: boolean; readonly linked: ReadonlySet<string> },
): CheckedGuests {
  const nameIn = readName((hasHeader && rows[0]) || [], mapping.name);
  const guests: Guest[] = [];
  const faulty: FaultyRow[] = [];
  const lines = new Map<string, number>();
  for (const [index, cells] of rows.entries()) {
    if (index === 0 && hasHeader) continue;
    const line = index + 1;
    const cell = (field: GuestField) => {
      const column = mapping[field];
      return column === null ? '' : (cells[column]?.trim() ?? '');
    };
    const [ticketId, email, language] = [cell('ticket'), cell('email'), cell('language').replaceAll('_', '-')];
    const firstLine = lines.get(ticketId) ?? null;
    const reason =
      ticketFault(ticketId) ??
      (firstLine === null ? null : 'repeated') ??
      (o.linked.has(ticketId) ? 'linked' : null) ??
      (o.needsEmail ? emailFault(email) : null) ??
      (o.needsEmail && language !== '' && !LANGUAGE.test(language) ? 'invalid-language' : null);
    if (reason === null) guests.push({ line, ticketId, email, language, name: nameIn(cells), cells });
    else faulty.push({ line, ticketId, reason, firstLine: reason === 'repeated' ? firstLine : null });
    if (ticketId !== '' && firstLine === null) lines.set(ticketId, line);
  }
  return { guests, faulty };
}

function emailFault(email: string): RowFault | null {
  if (email === '') return 'no-email';
  return isEmail(email) ? null : 'invalid-email';
}

export interface MadeLink {
  readonly ticketId: string;
  readonly url: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * The organiser's own table with the links in two more columns, as CSV with the delimiter of that table. Rows without a
 * link are left out.
 */
export function writeLinks(
  table: GuestTable | null,
  guests: readonly Pick<Guest, 'ticketId' | 'cells'>[],
  links: readonly MadeLink[],
): string {
  const byTicket = new Map(links.map((link) => [link.ticketId, link]));
  const width = table?.columns ?? 1;
  const widen = (cells: readonly string[]) => Array.from({ length: width }, (_, column) => cells[column] ?? '');
  const header = table?.hasHeader === true ? widen(table.rows[0] ?? []) : nameless(width);
  const rows = guests.flatMap(({ ticketId, cells }) => {
    const link = byTicket.get(ticketId);
    if (link === undefined) return [];
    return [[...widen(table === null ? [ticketId] : cells), link.url, link.expiresAt]];
  });
  const all = [[...header, plain(say('guests.file.link')), plain(say('app.valid-until'))], ...rows];
  return csvLines(all, table?.delimiter);
}

const nameless = (width: number) =>
  width === 1 ? [plain(say('guests.field.ticket'))] : Array.from({ length: width }, () => '');

/** Guests whom the service left out, with its reasons. */
export const omittedOf = <Reason>(
  guests: readonly Guest[],
  omitted: readonly { readonly index: number; readonly reason: Reason }[],
) => omitted.flatMap(({ index, reason }) => guests.slice(index, index + 1).map((guest) => ({ ...guest, reason })));
