import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { asText } from '../../components/files.ts';
import { checkRows, guessMapping, readTable } from './read-guests.ts';
import { writeLinks } from './write-links.ts';

const words = { ticket: 'Ticket', link: 'Link', validUntil: 'Valid until' };
const linkOf = (ticketId: string) => ({
  ticketId,
  url: `https://w/#${ticketId}`,
  expiresAt: '2026-06-04T09:30:00.000Z',
});

function write(text: string, tickets: readonly string[]) {
  const table = readTable(text);
  const { guests } = checkRows(table, guessMapping(table), { needsEmail: false, linked: new Set() });
  return writeLinks(table, guests, tickets.map(linkOf), words);
}

describe('the file with the links', () => {
  it('is the organiser’s own table with two more columns', () => {
    expect(write('ticket;name\nT-1;Ada\nT-2;"Bob; the second"', ['T-1', 'T-2'])).toBe(
      'ticket;name;Link;Valid until\r\n' +
        'T-1;Ada;https://w/#T-1;2026-06-04T09:30:00.000Z\r\n' +
        'T-2;"Bob; the second";https://w/#T-2;2026-06-04T09:30:00.000Z\r\n',
    );
  });

  it('leaves out rows without a link, and names the only column', () => {
    expect(write('T-1\nT-2', ['T-2'])).toBe(
      'Ticket,Link,Valid until\r\nT-2,https://w/#T-2,2026-06-04T09:30:00.000Z\r\n',
    );
  });

  it('holds nothing that a spreadsheet runs', () => {
    const text = write('ticket,name\nT-1,"=HYPERLINK(""https://evil"")"\n-2+3,@SUM(A1)\nT-3,+1\nT-4,-1', [
      ...['T-1', '-2+3', 'T-3', 'T-4'],
    ]);
    const { data } = Papa.parse<string[]>(text);
    expect(data.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
    expect(text).toContain(`"'=HYPERLINK(""https://evil"")"`);
    expect(text).toContain("'-2+3,'@SUM(A1)");
  });

  it('stays so whatever the cells hold, and loses none of it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 1, maxLength: 10 }), (cells) => {
        const table = { rows: [cells], columns: cells.length, delimiter: ';', hasHeader: false };
        const file = writeLinks(table, [{ ticketId: 'T', cells }], [linkOf('T')], words);
        const { data } = Papa.parse<string[]>(file, { delimiter: ';', newline: '\r\n' });
        const written = data[1]?.slice(0, cells.length) ?? [];
        expect(written.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
        expect(written.map((cell, nth) => (cell === cells[nth] ? cell : cell.slice(1)))).toEqual(cells);
      }),
    );
  });

  it.each([
    ['=1', "'=1"],
    ['\t=1', "'\t=1"],
    ['\n=1', "'\n=1"],
    ['＝1', "'＝1"],
    ['T-1', 'T-1'],
    ['', ''],
  ])('%j is written %j', (cell, written) => {
    expect(asText(cell)).toBe(written);
  });
});
