import type { LightColour } from '@svc/device-sdk';

/**
 * The page as a light: its colour is a custom property of the root element, which the attempt's styles take for their ground. Undefined where the person
 * asked the system for reduced motion: then no light is asked for.
 */
export function screenLightOf(
  page: Document,
  system: Pick<Window, 'matchMedia'>,
): ((colour: LightColour | null) => void) | undefined {
  if (system.matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
  const { style, dataset } = page.documentElement;
  return (colour) => {
    if (colour === null) {
      delete dataset.screenLight;
      style.removeProperty('--screen-light');
      return;
    }
    dataset.screenLight = '';
    style.setProperty('--screen-light', `rgb(${colour.red} ${colour.green} ${colour.blue})`);
  };
}
