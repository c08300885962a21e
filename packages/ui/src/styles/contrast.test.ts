import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const colours = new Map(
  [...css.matchAll(/--svc-([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

/** WCAG 2.2, relative luminance. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.040_45 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const text = [
  ...['ground', 'surface', 'sunken'].flatMap((ground) => [
    ['text', ground],
    ['text-muted', ground],
    ['accent', ground],
  ]),
  ...['good', 'other', 'staff', 'bad'].flatMap((tone) => [
    [tone, `${tone}-ground`],
    ['text', `${tone}-ground`],
    [tone, 'surface'],
  ]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
];
const shapes = ['ground', 'surface', 'sunken'].flatMap((ground) => [
  ['control-line', ground],
  ['focus', ground],
]);

it.each([
  ...text.map(([front = '', back = '']) => ({ front, back, least: 4.5 })),
  ...shapes.map(([front = '', back = '']) => ({ front, back, least: 3 })),
])('$front on $back has a contrast of $least to 1', ({ front, back, least }) => {
  for (const theme of ['light', 'dark'] as const) {
    const [a, b] = [colours.get(front)?.[theme] ?? '', colours.get(back)?.[theme] ?? ''];
    expect(contrast(a, b), theme).toBeGreaterThanOrEqual(least);
  }
});
