import type { DeviceStatus, LightColour } from '@svc/device-sdk';
import { Listeners, type mediaQuery } from '@svc/page-kit';

/** {@link createScreenLight} */
export type ScreenLight = ReturnType<typeof createScreenLight>;

interface ScreenLightOptions {
  readonly page: Document;
  readonly system: { readonly matchMedia: typeof mediaQuery };
  readonly isWanted: () => boolean;
}

/**
 * Uses the page as a light: the attempt's styles take their background from a custom property of the root element. Not
 * available if the kiosk's settings or the system's reduced motion exclude it.
 */
export function createScreenLight({ page, system, isWanted }: ScreenLightOptions) {
  const changes = new Listeners<void>();
  const changed = () => changes.tell();
  const reducedMotion = system.matchMedia('(prefers-reduced-motion: reduce)');
  reducedMotion.addEventListener('change', changed);
  const { style, dataset } = page.documentElement;

  /** Fades to the first colour and back at the end; changes between colours are immediate. */
  function show(colour: LightColour | null): void {
    if (colour === null || dataset.screenLight === undefined) dataset.screenFades = '';
    else delete dataset.screenFades;
    if (colour === null) {
      delete dataset.screenLight;
      style.removeProperty('--screen-light');
      return;
    }
    dataset.screenLight = '';
    style.setProperty('--screen-light', `rgb(${colour.red} ${colour.green} ${colour.blue})`);
  }

  return {
    /** Shows a colour (null: none); undefined while there is no light. An unattended list has it whatever the setting. */
    current: ({ attendance }: Pick<DeviceStatus, 'attendance'>) =>
      (isWanted() || attendance === 'unattended') && !reducedMotion.matches ? show : undefined,
    /** The same for people who can't turn the head and chose the light instead, whatever the kiosk's setting. */
    instead: () => (reducedMotion.matches ? undefined : show),
    /** Called when the light may have become available or unavailable. @returns a function that removes the listener */
    onChange: (listener: () => void) => changes.add(listener),
    /** To be called after `isWanted` has changed. */
    changed,
  };
}

/** Corrects the status for the next attempt: the device uses light if possible, but the page may have none. */
export function withScreenLight(status: DeviceStatus, light: ScreenLight): DeviceStatus {
  const isLess = status.headTurnAlternative === 'light' && light.instead() === undefined;
  const possible = isLess ? { ...status, headTurnAlternative: 'none' as const } : status;
  if (light.current(status) !== undefined) return possible;
  return { ...possible, protections: { ...status.protections, light: 'off' } };
}
