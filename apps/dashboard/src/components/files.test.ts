import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTable as readGuests } from '../features/guests/guest-table.ts';
import { readTable as readConsents } from '../features/import/read-folder.ts';
import { csvFile, csvLines, decodeTable, NoTable } from './files.ts';

const SEPARATORS = [',', ';', '\t', '|'] as const;
const SIGNS = ['=1+1', '+2', '-3', '@SUM(1)', '\uFF1D4', '\uFF0B5', '\uFF0D6', '\uFF207'];
const BEFORE = [...SEPARATORS, '"', '\n', '\r', '\r\n', "'", ' ', '\u00A0', '\u0001'];
/** Cells out of what separates, what is white space, and what begins a formula. */
const cells = fc.array(
  fc.oneof(
    fc.array(fc.constantFrom(...BEFORE, ...SIGNS, 'x', 'ü'), { maxLength: 8 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\0', '')),
  ),
  { minLength: 2, maxLength: 8 },
);
const HOSTILE = ['=1+1', 'x;=1+1', 'x,=1+1', 'x\t=1+1', 'x|=1+1', '"=1+1', 'x;""=1+1&"', "'=1+1", 'x\n=1+1', ' =1+1'];

describe('a table that is written', () => {
  it('begins no cell with what a formula begins with, whichever separator splits it, with quotes or without', () => {
    fc.assert(
      fc.property(cells, fc.constantFrom(...SEPARATORS), (row, delimiter) => {
        const text = csvLines([row, HOSTILE], delimiter);
        for (const other of SEPARATORS) {
          for (const quoteChar of ['"', '\u0000']) {
            const read = Papa.parse<string[]>(text, { delimiter: other, quoteChar }).data.flat();
            expect(read.filter((cell) => /^[\s\p{C}"]*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]/u.test(cell))).toEqual([]);
          }
        }
        const own = Papa.parse<string[]>(text, { delimiter }).data.flat();
        expect(own.filter((cell) => /^[\t\r\n]/.test(cell))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('has every cell in quotes, and loses nothing on the way back', async () => {
    expect(csvLines([['a', null, 1, 'x;=1+1', '"']])).toBe('"a","","1","x;\'=1+1",""""\r\n');
    await fc.assert(
      fc.asyncProperty(cells, fc.constantFrom(...SEPARATORS), async (row, delimiter) => {
        const rows = [
          ['id', ...row.map(() => 'column')],
          ['P-1', ...row],
        ];
        const text = csvLines(rows, delimiter);
        expect(readGuests(`sep=${delimiter}\r\n${text}`).rows).toEqual(rows);
        expect((await readConsents(csvFile([csvLines(rows)]))).cells).toEqual([...rows, ['']]);
      }),
    );
  });
});

describe('what is given in the place of a table', () => {
  const latin = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
  const zip = (...names: string[]) =>
    latin(`PK\x03\x04\x14\0\x06\0${names.map((name) => `PK\x03\x04${name}\x85\x9c`).join('')}`);
  it.each([
    ['pdf', latin('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< >>\nendobj\n')],
    ['excel', zip('[Content_Types].xml', 'xl/workbook.xml')],
    ['excel', latin('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
    ['numbers', zip('Index/Document.iwa', 'preview.jpg')],
    ['opendocument', zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')],
    ['binary', zip('photos/1.jpg')],
    ['picture', latin('\xff\xd8\xff\xe0\0\x10JFIF')],
    ['picture', latin('\x89PNG\r\n\x1a\n')],
    ['binary', latin('T-1\0;Ada\n')],
    ['binary', latin('T-1;\xfc\x02\n')],
    ['binary', new Uint8Array([0xff, 0xfe, 0x00, 0xd8])],
    ['binary', Uint8Array.from(Buffer.from('T-1;Ada', 'utf16le'))],
  ])('is refused by what it is, not by its name: %s', (kind, bytes) => {
    expect(() => decodeTable(bytes)).toThrow(new NoTable(kind as 'pdf'));
  });
});

/** `npm run test:long` installs LibreOffice. */
const soffice = process.env.SVC_TEST_SOFFICE ?? '';
it.runIf(soffice !== '')('a table that LibreOffice opens has no formula and every text', { timeout: 600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-calc-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  /** The table as LibreOffice saves it. @param filter options of its import: separators, quote, UTF-8, first line */
  function saved(language: string, filter: string, text: string, format: string): string {
    const profile = join(folder, language, 'user');
    mkdirSync(profile, { recursive: true });
    const locale = `<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${language}</value></prop>`;
    const items = `<item oor:path="/org.openoffice.Setup/L10N">${locale}</item>`;
    const settings = `<oor:items xmlns:oor="http://openoffice.org/2001/registry">${items}</oor:items>`;
    writeFileSync(join(profile, 'registrymodifications.xcu'), settings);
    const file = join(folder, 'table.csv');
    writeFileSync(file, `\uFEFF${text}`);
    const user = `-env:UserInstallation=file://${join(folder, language)}`;
    const options = [user, '--headless', `--infilter=CSV${filter}`, '--convert-to', format, '--outdir', profile, file];
    execFileSync(soffice, options, { stdio: 'ignore' });
    return readFileSync(join(profile, `table.${format.split(':')[0]}`), 'utf8');
  }
  const rows = [HOSTILE, ...fc.sample(cells, 500).map((row) => row.map((cell) => cell.replaceAll(/\p{C}/gu, '')))];
  // LibreOffice ends every line of a cell with a line feed.
  const cellsOf = (text: string) =>
    Papa.parse<string[]>(text, { delimiter: ',' }).data.map((row) => row.map((c) => c.replaceAll(/\r\n?/g, '\n')));
  const filters = [
    '',
    ':44/59/9/124,34,76,1',
    ':59,,76,1',
    ...SEPARATORS.map((each) => `:${each.charCodeAt(0)},34,76,1`),
  ];
  const asShown = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false';
  for (const language of ['en-US', 'de-DE']) {
    for (const delimiter of SEPARATORS) {
      const text = csvLines(rows, delimiter);
      for (const filter of filters) {
        const sheet = saved(language, filter, text, 'fods');
        expect(sheet).toContain('<table:table-cell');
        expect(sheet.match(/table:formula="[^"]*"/g), `${language} “${delimiter}” ${filter}`).toBeNull();
      }
      const found = cellsOf(saved(language, `:${delimiter.charCodeAt(0)},34,76,1`, text, asShown));
      for (const [nth, row] of cellsOf(csvLines(rows)).entries()) expect(found[nth]?.slice(0, row.length)).toEqual(row);
    }
  }
});
