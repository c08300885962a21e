import { imageTypeOf } from '@svc/protocol';

/**
 * Where a spreadsheet may begin a cell (after a separator, a quote or a line break, as it is the reader's language that
 * decides which of them separates), white space and apostrophes that follow, and then the sign of a formula (OWASP, CSV
 * injection), full-width ones among them.
 */
const FORMULA = /(?:[,;|\t"]|[\r\n](?!\n))(?:(?![\t\r\n])[\p{Z}\p{C}'])*(?=[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20])/gu;
/** The same after {@link asText}. */
const TEXT = new RegExp(FORMULA.source.replace('(?=', "'(?="), 'gu');

/** With an apostrophe before each sign that could begin a formula. */
const asText = (cell: string): string => `,${cell}`.replace(FORMULA, "$&'").slice(1);

/**
 * A cell of a table without the apostrophes that {@link csvLines} put before signs of formulas: an id comes back as it
 * was. One apostrophe is taken from each place, so that one that was there before stays.
 */
export const plainCell = (cell: string): string => `,${cell}`.replace(TEXT, (before) => before.slice(0, -1)).slice(1);

/**
 * Rows of CSV (RFC 4180), each with its end, every cell in quotes. None is taken for a formula, whichever separator the
 * reader splits at.
 */
export const csvLines = (rows: readonly (readonly (string | number | boolean | null)[])[], delimiter = ','): string =>
  rows
    .map((row) => row.map((cell) => `"${asText(String(cell ?? '')).replaceAll('"', '""')}"`).join(delimiter))
    .map((line) => `${line}\r\n`)
    .join('');

/** A table as a file that spreadsheets open by themselves: in UTF-8 with its mark. @param parts from {@link csvLines} */
export const csvFile = (parts: readonly string[]): Blob =>
  new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' });

/** What was given in the place of a table; `binary` where its kind is not known. */
export type NoTableKind =
  | 'pdf'
  | 'picture'
  | 'excel'
  | 'numbers'
  | 'opendocument'
  | 'binary'
  | 'empty'
  | 'too-large'
  | 'no-names';

/** A file that cannot be a table. */
export class NoTable extends Error {
  constructor(readonly kind: NoTableKind) {
    super(kind);
  }
}

const ARCHIVE = 'PK\x03\x04';
/** First bytes of files, and a name within an archive that tells its program. Names of files lie. */
const SIGNATURES: readonly (readonly [NoTableKind, start: string, within?: RegExp])[] = [
  ['pdf', '%PDF-'],
  ['excel', '\xd0\xcf\x11\xe0'],
  ['excel', ARCHIVE, /xl\/(workbook|worksheets)/],
  ['numbers', ARCHIVE, /Index\/.*\.iwa/s],
  ['opendocument', ARCHIVE, /application\/vnd\.oasis\.opendocument/],
  ['binary', ARCHIVE],
];

function kindOfNoTable(bytes: Uint8Array): NoTableKind | null {
  if (imageTypeOf(bytes) !== null) return 'picture';
  const latin = new TextDecoder('latin1');
  const head = latin.decode(bytes.subarray(0, 8));
  const isOf = (within: RegExp | undefined) => within === undefined || within.test(latin.decode(bytes));
  return SIGNATURES.find(([, start, within]) => head.startsWith(start) && isOf(within))?.[0] ?? null;
}

const isControl = (code: number) => (code < 32 && (code < 9 || code > 13)) || (code > 126 && code < 160);

/**
 * Bytes of a table as text: UTF-8, UTF-16 with its mark, or else what Excel writes on Windows.
 * @returns isGuess: which letters those beyond ASCII are is not certain
 * @throws NoTable for what is no text
 */
export function decodeTable(bytes: Uint8Array): { readonly text: string; readonly isGuess: boolean } {
  const kind = kindOfNoTable(bytes);
  if (kind !== null) throw new NoTable(kind);
  const wide =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff && 'utf-16be';
  let text: string | null = null;
  try {
    text = new TextDecoder(wide || 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    if (wide) throw new NoTable('binary');
  }
  if (text?.includes('\0') === true) throw new NoTable('binary');
  if (text !== null) return { text, isGuess: false };
  const guess = new TextDecoder('windows-1252').decode(bytes);
  for (let at = 0; at < guess.length; at += 1) if (isControl(guess.charCodeAt(at))) throw new NoTable('binary');
  return { text: guess, isGuess: true };
}

/** Gives a file to the browser's downloads; it is made here and sent nowhere. */
export function saveAs(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Safari reads it late.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A file's bytes as base64. @throws DOMException when it was changed or removed since it was chosen */
export function toBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).slice(String(reader.result).indexOf(',') + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
