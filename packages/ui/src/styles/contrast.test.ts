import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { contrast, parseHex } from '../theme/accent.ts';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const colours = new Map(
  [...css.matchAll(/--svc-([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

const text = [
  ...['ground', 'surface', 'sunken'].flatMap((ground) => [
    ['text', ground],
    ['text-muted', ground],
    ['accent', ground],
  ]),
  ...['good', 'other', 'bad'].flatMap((tone) => [
    [tone, `${tone}-ground`],
    ['text', `${tone}-ground`],
    ['accent', `${tone}-ground`],
    [tone, 'surface'],
  ]),
  ['on-fill', 'fill'],
  ['on-fill', 'fill-strong'],
];
const shapes = ['ground', 'surface', 'sunken'].flatMap((ground) => [
  ['control-line', ground],
  ['focus', ground],
  ['fill-line', ground],
]);

it.each([
  ...text.map(([front = '', back = '']) => ({ front, back, least: 4.5 })),
  ...shapes.map(([front = '', back = '']) => ({ front, back, least: 3 })),
])('$front on $back has a contrast of $least to 1', ({ front, back, least }) => {
  for (const theme of ['light', 'dark'] as const) {
    const [a, b] = [colours.get(front)?.[theme] ?? '', colours.get(back)?.[theme] ?? ''];
    expect(contrast(parseHex(a), parseHex(b)), theme).toBeGreaterThanOrEqual(least);
  }
});
