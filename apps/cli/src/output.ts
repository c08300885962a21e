/** Terminal control characters (C0, DEL, C1) and bidirectional controls, which names chosen by callers may contain. */
const CONTROLS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const LINE_FEED = '\n';

const escaped = (char: string) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** Escapes an untrusted text for one line of a terminal: it cannot move the cursor, start a line or hide anything. */
export function printable(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** Writes lines to standard output: results only, so that they can be piped. */
export function print(line: string): void {
  const safe = line.replace(CONTROLS, (char) => (char === LINE_FEED ? char : escaped(char)));
  process.stdout.write(`${safe}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A line to standard error: progress and remarks. */
export function remark(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Columns padded to their widest cell; the first row is the head. */
export function table(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(printable));
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
