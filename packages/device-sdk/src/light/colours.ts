/** Linear-light sRGB, each 0 to 1. */
export type LinearColour = readonly [red: number, green: number, blue: number];

/** A colour of the whole screen: sRGB bytes, 0 to 255. As CSS: `rgb(red green blue)`. */
export interface LightColour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

const decode = (byte: number): number => {
  const x = byte / 255;
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
};

/** IEC 61966-2-1 decoding of the 256 bytes. */
export const linearOfByte: Float64Array = Float64Array.from({ length: 256 }, (_, byte) => decode(byte));

/** Decodes sRGB bytes to linear light. */
export const linearColour = ({ red, green, blue }: LightColour): LinearColour => [
  linearOfByte[red] ?? 0,
  linearOfByte[green] ?? 0,
  linearOfByte[blue] ?? 0,
];

/**
 * The four colours of a challenge: red and blue high or low, with the green that keeps the relative luminance at one
 * half. Their luminances differ by less than 0.005, so that a change is no flash by WCAG 2.3.1 (0.1), however frequent,
 * and on a screen of 500 cd/m² is a step of 2.5 cd/m², against 20 in ITU-R BT.1702. None is a saturated red.
 */
export const lightPalette = [
  { red: 255, green: 149, blue: 255 },
  { red: 124, green: 194, blue: 255 },
  { red: 124, green: 206, blue: 124 },
  { red: 255, green: 166, blue: 124 },
] as const satisfies readonly LightColour[];

/** White of the same luminance, shown from the start: exposure settles on it, and a face in the dark is lit. */
export const restingLight: LightColour = { red: 188, green: 188, blue: 188 };
