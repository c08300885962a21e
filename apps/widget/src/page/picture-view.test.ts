import { expect, it } from 'vitest';
import { layoutFor } from './picture-view.ts';

it.each([
  [320, 568, 'above, short'],
  [360, 640, 'above, short'],
  [390, 844, 'above'],
  [667, 375, 'beside, short'],
  [640, 400, 'beside, short'],
  [820, 1180, 'above'],
  [1280, 800, 'beside'],
  [1920, 1080, 'beside'],
  [1080, 1920, 'above'],
])('%i × %i: %s', (width, height, layout) => {
  const { picture, view } = layoutFor(width, height, 16);
  expect(`${picture}${view === 'short' ? ', short' : ''}`).toBe(layout);
});

it('needs more space for larger text', () => {
  expect(layoutFor(667, 375, 32).picture).toBe('above');
  expect(layoutFor(390, 844, 32).view).toBe('short');
});
