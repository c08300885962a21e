import { expect, it } from 'vitest';
import { screenCandela } from './screen-candela.ts';

it.each([
  ['a phone, 7 by 15 cm of 500 cd/m²', { width: 390, height: 844 }, 500 * 0.07 * 0.15],
  ['a tablet, 16 by 22 cm of 400 cd/m²', { width: 820, height: 1180 }, 400 * 0.16 * 0.22],
  ['a laptop, 30 by 19 cm of 250 cd/m²', { width: 1366, height: 864 }, 250 * 0.3 * 0.19],
])('tells what the screen of %s gives to a factor of 1.4', (_, screen, candela) => {
  expect(screenCandela(screen) / candela).toBeGreaterThan(1 / 1.4);
  expect(screenCandela(screen) / candela).toBeLessThan(1.4);
});
