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

/** Bytes of a table as text: UTF-8, UTF-16 with its mark, or what Excel writes on Windows. */
export function decodeTable(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
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
