/** Linear-light sRGB, each 0..1. */
export type LinearColour = readonly [red: number, green: number, blue: number];

/** What a screen shows all over: sRGB bytes, 0..255. As CSS: `rgb(red green blue)`. */
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

export const linearColour = ({ red, green, blue }: LightColour): LinearColour => [
  linearOfByte[red] ?? 0,
  linearOfByte[green] ?? 0,
  linearOfByte[blue] ?? 0,
];

/**
 * The four colours that a challenge is drawn from: red and blue high or low, and as much green as keeps the relative
 * luminance at one half. Their luminances differ by less than 0.005, so that going from one to another is no flash in
 * the sense of WCAG 2.3.1 (0.1), however often it happens, and on a screen of 500 cd/m² is a step of 2.5 cd/m², of the
 * 20 that count in ITU-R BT.1702. None is a saturated red.
 */
export const lightPalette = [
  { red: 255, green: 149, blue: 255 },
  { red: 124, green: 194, blue: 255 },
  { red: 124, green: 206, blue: 124 },
  { red: 255, green: 166, blue: 124 },
] as const satisfies readonly LightColour[];

/** White of the same luminance, shown from the beginning: exposure settles on it, and a face in the dark is lit. */
export const restingLight: LightColour = { red: 188, green: 188, blue: 188 };
