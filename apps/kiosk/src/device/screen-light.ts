import type { DeviceStatus, LightColour } from '@svc/device-sdk';

/**
 * CSS pixels are made to look alike at the distance a device is held: some 58 a centimetre on phones, 52 on tablets, 45
 * on laptops.
 */
const pixelsPerCm = 52;
/** Between the 250 cd/m² of a laptop and the 500 of a phone. */
const luminance = 400;

/**
 * What a screen gives all white, candela, by its size in CSS pixels: to a factor of 1.4 on phones, tablets and laptops
 * at full brightness.
 */
export const screenCandela = ({ width, height }: Pick<Screen, 'width' | 'height'>): number =>
  luminance * (width / pixelsPerCm / 100) * (height / pixelsPerCm / 100);

/**
 * The page as a light: its colour is a custom property of the root element, which the attempt's styles take for their
 * ground. There is none unless the kiosk is set up to have one, and none for whoever asked the system for reduced
 * motion.
 */
export interface ScreenLight {
  /** Shows a colour, null none; undefined while there is no light. */
  current(): ((colour: LightColour | null) => void) | undefined;
  /** The same for whoever can't turn the head and asked for the light instead, whether or not everybody is lit. */
  instead(): ((colour: LightColour | null) => void) | undefined;
  /** Calls back whenever the page may have gained or lost its light. @returns ends it */
  onChange(listener: () => void): () => void;
}

export interface ScreenLightOptions {
  readonly page: Document;
  readonly system: Pick<Window, 'matchMedia'>;
  readonly isWanted: () => boolean;
}

/** @returns the light, and what to call after {@link ScreenLightOptions.isWanted} changed */
export function createScreenLight({ page, system, isWanted }: ScreenLightOptions): ScreenLight & { changed(): void } {
  const changes = new EventTarget();
  const changed = () => void changes.dispatchEvent(new Event('change'));
  const reducedMotion = system.matchMedia('(prefers-reduced-motion: reduce)');
  reducedMotion.addEventListener('change', changed);
  const { style, dataset } = page.documentElement;

  /**
   * The page brightens and goes dark again slowly: the first colour, at which the screen rests, and its end. Between
   * them colours change at once.
   */
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
    current: () => (isWanted() && !reducedMotion.matches ? show : undefined),
    instead: () => (reducedMotion.matches ? undefined : show),
    onChange(listener) {
      changes.addEventListener('change', listener);
      return () => changes.removeEventListener('change', listener);
    },
    changed,
  };
}

/** What the next attempt will do: the device asks for light where there is one, and the page may have none. */
export function withScreenLight(status: DeviceStatus, light: ScreenLight): DeviceStatus {
  const isLess = status.headTurnAlternative === 'light' && light.instead() === undefined;
  const possible = isLess ? { ...status, headTurnAlternative: 'none' as const } : status;
  if (light.current() !== undefined) return possible;
  return { ...possible, protections: { ...status.protections, light: 'off' } };
}
