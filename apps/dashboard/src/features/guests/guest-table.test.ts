import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTable } from '../../components/files.ts';
import { speak } from '../../text/index.ts';
import { keepNames, namesOf } from './guest-names.ts';
import { checkRows, guessMapping, type Mapping, readTable, writeLinks } from './guest-table.ts';

const NONE: Mapping = { ticket: null, email: null, language: null, name: null };
const check = (text: string, o: { needsEmail?: boolean; linked?: readonly string[] } = {}) => {
  const table = readTable(text);
  return checkRows(table, guessMapping(table), { needsEmail: o.needsEmail ?? true, linked: new Set(o.linked) });
};

describe('a table', () => {
  it.each([
    ['with commas', 'ticket,email\nT-1,ada@example.org\n'],
    ['with Excel’s semicolons and its line ends', '\uFEFFticket;email\r\nT-1;ada@example.org\r\n'],
    ['that names its delimiter', 'sep=|\r\nticket|email\r\nT-1|ada@example.org'],
    ['that was copied from a spreadsheet', 'ticket\temail\nT-1\tada@example.org'],
    ['with quotes', '"ticket","email"\n"T-1","ada@example.org"'],
    ['with empty lines', '\n\nticket,email\n\n , \nT-1,ada@example.org\n\n'],
  ])('%s is read', (_what, text) => {
    const table = readTable(text);
    expect([table.hasHeader, table.columns]).toEqual([true, 2]);
    expect(guessMapping(table)).toEqual({ ...NONE, ticket: 0, email: 1 });
    expect(check(text).guests).toMatchObject([{ ticketId: 'T-1', email: 'ada@example.org' }]);
  });

  it('may be lines of tickets alone', () => {
    const { guests } = check('T-1\nT-2\n\nT-3', { needsEmail: false });
    expect(guests.map(({ ticketId }) => ticketId)).toEqual(['T-1', 'T-2', 'T-3']);
  });

  it('may have delimiters, quotes and line breaks within a cell', () => {
    const table = readTable('ticket;name\nT-1;"Ada ""the"" first;\nsecond line"\nT-2;Bob');
    expect(table.rows[1]).toEqual(['T-1', 'Ada "the" first;\nsecond line']);
    expect(table.rows).toHaveLength(3);
  });

  it('is read from each encoding that spreadsheets write', () => {
    const text = 'Ticket;Name\r\nT-1;Jürgen Größe';
    expect(decodeTable(new TextEncoder().encode(text))).toEqual({ text, isGuess: false });
    const windows = Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)));
    expect(decodeTable(windows)).toEqual({ text, isGuess: true });
    const utf16 = new Uint8Array(2 + text.length * 2);
    utf16.set([0xff, 0xfe]);
    for (const [index, letter] of [...text].entries())
      utf16.set([letter.charCodeAt(0) & 255, letter.charCodeAt(0) >> 8], 2 + index * 2);
    expect(decodeTable(utf16)).toEqual({ text, isGuess: false });
  });

  it('is never read into an exception or more rows than lines', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const table = readTable(text);
        const { guests, faulty } = checkRows(table, guessMapping(table), { needsEmail: true, linked: new Set() });
        const counted = table.rows.length - (table.hasHeader ? 1 : 0);
        expect(guests.length + faulty.length).toBe(Math.max(0, counted));
        expect(new Set(guests.map(({ ticketId }) => ticketId)).size).toBe(guests.length);
      }),
    );
  });
});

describe('the columns', () => {
  it.each([
    ['Ticketnummer;Vorname;E-Mail-Adresse;Sprache', { ticket: 0, name: 1, email: 2, language: 3 }],
    ['Name,Email,Order ID', { ticket: 2, name: 0, email: 1, language: null }],
    ['courriel;langue;billet;nom', { ticket: 2, name: 3, email: 0, language: 1 }],
  ])('are known by their names: %s', (header, mapping) => {
    expect(guessMapping(readTable(`${header}\n1,2,3,4`))).toEqual(mapping);
  });

  it('are known by what they hold where they have no names', () => {
    const table = readTable('Ada Lovelace,ada@example.org,A-17,de\nBob,bob@example.org,A-18,en-GB');
    expect(table.hasHeader).toBe(false);
    expect(guessMapping(table)).toEqual({ ticket: 2, email: 1, language: 3, name: null });
  });
});

it('the names beside the tickets are kept in this tab, and told by their tickets', () => {
  const keep = (listId: string, text: string, shown: string[]) =>
    keepNames(listId, readTable(text), guessMapping(readTable(text)), shown);
  expect(keep('evt_1', 'Name;Ticket\nAda Lovelace;T-1\n;T-2\nBob;T-3', ['T-1', 'T-2'])).toEqual({ count: 2, found: 1 });
  expect(keep('evt_1', 'Ticket;Name\nT-3;Robert', ['T-3'])).toEqual({ count: 1, found: 1 });
  expect([...namesOf('evt_1')]).toEqual([
    ['T-1', 'Ada Lovelace'],
    ['T-3', 'Robert'],
  ]);
  expect(keep('evt_2', 'T-1\nT-2', ['T-1']).count).toBe(0);
  const inTwo = 'Name;Vorname;Ticket\nLovelace;Ada;T-8\nZuse;;T-9';
  expect([keep('evt_2', inTwo, ['T-1']), namesOf('evt_2').size]).toEqual([{ count: 2, found: 0 }, 0]);
  keep('evt_2', inTwo, ['T-9']);
  expect([...namesOf('evt_2').values()]).toEqual(['Ada Lovelace', 'Zuse']);
});

describe('a row', () => {
  it('is left out with its reason and its line', () => {
    const text = [
      'ticket,email,language',
      'T-1,ada@example.org,de',
      ',x@example.org,',
      'T-2,,',
      'T-3,not an address,',
      'T-1,again@example.org,',
      `${'x'.repeat(201)},x@example.org,`,
      'T-4,four@example.org,not a language!',
      'T-5,five@example.org,pt_BR',
      'T-6,six@example.org,',
    ].join('\n');
    const { guests, faulty } = check(text, { linked: ['T-6'] });
    expect(guests.map(({ line, ticketId, language }) => [line, ticketId, language])).toEqual([
      [2, 'T-1', 'de'],
      [9, 'T-5', 'pt-BR'],
    ]);
    expect(faulty.map(({ line, reason, firstLine }) => [line, reason, firstLine])).toEqual([
      [3, 'no-ticket', null],
      [4, 'no-email', null],
      [5, 'invalid-email', null],
      [6, 'repeated', 2],
      [7, 'ticket-too-long', null],
      [8, 'invalid-language', null],
      [10, 'linked', null],
    ]);
  });

  it('needs no address for a link to download', () => {
    const { guests, faulty } = check('ticket,email\nT-1,\nT-2,nonsense', { needsEmail: false });
    expect([guests.length, faulty.length]).toEqual([2, 0]);
  });
});

await speak('en');
const linkOf = (ticketId: string) => ({
  ticketId,
  url: `https://w/#${ticketId}`,
  expiresAt: '2026-06-04T09:30:00.000Z',
});

function write(text: string, tickets: readonly string[]) {
  const table = readTable(text);
  const { guests } = checkRows(table, guessMapping(table), { needsEmail: false, linked: new Set() });
  return writeLinks(table, guests, tickets.map(linkOf));
}

describe('the file with the links', () => {
  it('is the organiser’s own table with two more columns', () => {
    expect(write('ticket;name\nT-1;Ada\nT-2;"Bob; the second"', ['T-1', 'T-2'])).toBe(
      '"ticket";"name";"Link";"Valid until"\r\n' +
        '"T-1";"Ada";"https://w/#T-1";"2026-06-04T09:30:00.000Z"\r\n' +
        '"T-2";"Bob; the second";"https://w/#T-2";"2026-06-04T09:30:00.000Z"\r\n',
    );
  });

  it('leaves out rows without a link, and names the only column', () => {
    expect(write('T-1\nT-2', ['T-2'])).toBe(
      '"Ticket","Link","Valid until"\r\n"T-2","https://w/#T-2","2026-06-04T09:30:00.000Z"\r\n',
    );
    // No spreadsheet knows this separator.
    expect(write('sep=:\nT-1:Ada', ['T-1'])).toContain('"T-1","Ada",');
  });
});
