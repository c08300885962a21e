import encodeQR from 'qr';

/** Modules around the code (ISO/IEC 18004 section 9.1). */
const QUIET_ZONE = 4;
/** Black on white, whatever the colours of the terminal: many readers refuse an inverted code. */
const BLACK_ON_WHITE = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

/**
 * A QR code for a terminal, two modules high a line. Low error correction: nothing wears off a screen, and the code
 * stays small.
 */
export function drawTerminalCode(text: string): string {
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: QUIET_ZONE });
  const lines: string[] = [];
  for (let y = 0; y < rows.length; y += 2) {
    const line = (rows[y] ?? []).map((upper, x) => {
      const lower = rows[y + 1]?.[x] ?? false;
      if (upper) return lower ? '█' : '▀';
      return lower ? '▄' : ' ';
    });
    lines.push(`${BLACK_ON_WHITE}${line.join('')}${RESET}`);
  }
  return lines.join('\n');
}
