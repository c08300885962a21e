import encodeQR from 'qr';

/** Modules around the code (ISO/IEC 18004 section 9.1). */
const QUIET_ZONE = 4;

/** A text as a QR code. @returns an SVG path, one unit a module, and the side's length in units, the quiet zone included */
export function drawCode(text: string): { readonly path: string; readonly size: number } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { path, size: rows.length };
}
