import type { DeviceStatus, LightColour } from '@svc/device-sdk';

type System = Pick<Window, 'matchMedia'>;

const reducedMotion = (system: System): MediaQueryList => system.matchMedia('(prefers-reduced-motion: reduce)');

/**
 * The page as a light: its colour is a custom property of the root element, which the attempt's styles take for their ground. Undefined where the person
 * asked the system for reduced motion: then no light is asked for.
 */
export function screenLightOf(page: Document, system: System): ((colour: LightColour | null) => void) | undefined {
  if (reducedMotion(system).matches) return undefined;
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

/** What the next attempt will do: a device that would ask for light says so, but the page may have none to give. */
export function withScreenLight(status: DeviceStatus, system: System): DeviceStatus {
  if (!reducedMotion(system).matches) return status;
  return { ...status, protections: { ...status.protections, light: 'off' } };
}

/** Calls back whenever the page gains or loses its light. @returns ends it */
export function onScreenLight(system: System, listener: () => void): () => void {
  const query = reducedMotion(system);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
