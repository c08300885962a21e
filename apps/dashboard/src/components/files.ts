/** What a spreadsheet takes for a formula, and runs (OWASP, CSV injection); full-width signs among them. */
const FORMULA = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/;

/** A cell that a spreadsheet shows as text: an apostrophe, which it does not show, goes before what would be a formula. */
const asText = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);

function cellOf(value: string | number | boolean | null, delimiter: string): string {
  const text = typeof value === 'string' ? asText(value) : value === null ? '' : String(value);
  const needsQuotes = /["\r\n]/.test(text) || text.includes(delimiter) || text.trim() !== text;
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows of CSV (RFC 4180), each with its end; no cell is taken for a formula. */
export const csvLines = (rows: readonly (readonly (string | number | boolean | null)[])[], delimiter = ','): string =>
  rows.map((row) => `${row.map((cell) => cellOf(cell, delimiter)).join(delimiter)}\r\n`).join('');

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
