import decodeQR from 'qr/decode.js';
import { expect, it } from 'vitest';
import { drawTerminalCode } from './terminal-code.ts';

const MODULE_PX = 4;

/** What a camera sees of the lines: a picture of four pixels a module. */
function pictureOf(lines: readonly string[]) {
  const rows = lines.flatMap((line) => {
    const cells = [...line];
    return [cells.map((cell) => cell === '█' || cell === '▀'), cells.map((cell) => cell === '█' || cell === '▄')];
  });
  const [width, height] = [(rows[0]?.length ?? 0) * MODULE_PX, rows.length * MODULE_PX];
  const data = new Uint8Array(width * height * 4);
  for (let i = 0; i < width * height; i += 1) {
    const isDark = rows[Math.floor(i / width / MODULE_PX)]?.[Math.floor((i % width) / MODULE_PX)] === true;
    data.set(isDark ? [0, 0, 0, 255] : [255, 255, 255, 255], i * 4);
  }
  return { width, height, data };
}

it('is read as its text, with the colours set and reset on each line', () => {
  const link = `https://checkin.example.org/kiosk/#svcd_${'0'.repeat(49)}`;
  const lines = drawTerminalCode(link).split('\n');
  const bare = lines.map((line) => line.replace('\u001b[38;5;16;48;5;231m', '').replace('\u001b[0m', ''));
  expect(new Set(bare.map((line) => [...line].length)).size).toBe(1);
  expect(bare.join('')).toMatch(/^[█▀▄ ]+$/);
  expect(lines.length).toBeLessThan(28);
  expect(decodeQR(pictureOf(bare))).toBe(link);
});
