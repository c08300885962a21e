import { afterEach, expect, it, vi } from 'vitest';
import { layoutFor, watchPicture } from './picture-view.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A window whose observers tell at once, and only when they begin, which share of the picture is in view. */
function stubWindow(share: number) {
  const view = { share };
  class Observer {
    constructor(readonly tell: (entries: readonly object[]) => void) {}
    observe = () => this.tell([{ intersectionRatio: view.share }]);
    disconnect = () => undefined;
  }
  vi.stubGlobal('IntersectionObserver', Observer);
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  return view;
}

it('asks for a scroll if the picture has left the view and nobody has been told yet', async () => {
  const view = stubWindow(1);
  const scroll = vi.fn(() => {
    view.share = 1;
  });
  const picture = watchPicture({} as HTMLVideoElement, scroll);
  await picture.bring();
  expect(scroll).not.toHaveBeenCalled();
  view.share = 0.87;
  expect(picture.isShown()).toBe(true);
  await picture.bring();
  expect(scroll).toHaveBeenCalledOnce();
});

it('goes on if scrolling does not help', async () => {
  stubWindow(0.5);
  const scroll = vi.fn();
  await watchPicture({} as HTMLVideoElement, scroll).bring();
  expect(scroll).toHaveBeenCalledOnce();
});

it.each([
  [320, 568, 'above, short'],
  [390, 844, 'above'],
  [667, 375, 'beside, short'],
  [1280, 800, 'beside'],
  [1080, 1920, 'above'],
])('%i × %i: %s', (width, height, layout) => {
  const { picture, view } = layoutFor(width, height, 16);
  expect(`${picture}${view === 'short' ? ', short' : ''}`).toBe(layout);
});

it('needs more space for larger text', () => {
  expect(layoutFor(667, 375, 32).picture).toBe('above');
  expect(layoutFor(390, 844, 32).view).toBe('short');
});
