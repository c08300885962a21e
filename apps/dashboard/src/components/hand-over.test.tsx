import decodeQR from 'qr/decode.js';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { QrCode } from './hand-over.tsx';

const PIXELS = 8;

/** What a camera would see: the drawn cells, enlarged. */
function pictureOf(markup: string) {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(markup)?.[1]);
  const width = size * PIXELS;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, left, top] of markup.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let y = 0; y < PIXELS; y += 1) {
      const row = ((Number(top) * PIXELS + y) * width + Number(left) * PIXELS) * 4;
      for (let x = 0; x < PIXELS; x += 1) data.fill(0, row + x * 4, row + x * 4 + 3);
    }
  }
  return { width, height: width, data };
}

it.each([
  ['a pairing link', `https://faces.example/kiosk/#svcd_${'0'.repeat(49)}`],
  ['a long one', `https://check-in.events.faces.example.org:8443/kiosk/#svcd_${'aZ9'.repeat(16)}x`],
])('what is drawn for %s is read back', (_name, text) => {
  const markup = renderToStaticMarkup(<QrCode text={text} label="Pairing code of North" />);
  expect(decodeQR(pictureOf(markup))).toBe(text);
  expect(markup).toContain('role="img" aria-label="Pairing code of North"');
  // Readers need four cells of white around it.
  const places = [...markup.matchAll(/M(\d+) (\d+)h1/g)].flatMap(([, x, y]) => [Number(x), Number(y)]);
  expect(Math.min(...places)).toBe(4);
});

it('the text itself is in no attribute', () => {
  expect(renderToStaticMarkup(<QrCode text="svcd_secret" label="Code" />)).not.toContain('svcd_secret');
});
