import { expect, it } from 'vitest';
import { readTable } from './read-folder.ts';

const TEXT = 'personId;consent\r\nJürgen;yes';
const CELLS = [
  ['personId', 'consent'],
  ['Jürgen', 'yes'],
];
const wide = Uint8Array.from(Buffer.from(`\uFEFF${TEXT}`, 'utf16le'));

it.each([
  ['UTF-8', new TextEncoder().encode(TEXT)],
  ['UTF-8 with its mark', new TextEncoder().encode(`\uFEFF${TEXT}`)],
  ['what Excel calls Unicode', wide],
])('a table is read in %s', async (_encoding, bytes) => {
  expect(await readTable(new Blob([bytes]))).toEqual({ cells: CELLS, isGuess: false });
});

it('a table in another encoding is a guess, which must not become ids', async () => {
  const latin = Uint8Array.from(Buffer.from(TEXT, 'latin1'));
  expect(await readTable(new Blob([latin]))).toEqual({ cells: CELLS, isGuess: true });
});
