import { linearFromSrgb } from '../identity/colours.ts';

type Xy = readonly [x: number, y: number];
type Triple = readonly [number, number, number];

/** Measured properties of a screen. */
export interface Display {
  readonly name: string;
  /** CIE 1931 chromaticities of the primaries and of white. */
  readonly red: Xy;
  readonly green: Xy;
  readonly blue: Xy;
  readonly white: Xy;
  /** White, cd/m². */
  readonly luminance: number;
  /** White over black. */
  readonly contrast: number;
  /** Lit area, centimetres. */
  readonly widthCm: number;
  readonly heightCm: number;
  /**
   * False where the system hands sRGB bytes to the panel as they are, so that a wide gamut shows them more saturated.
   */
  readonly colourManaged: boolean;
}

const srgbPrimaries = { red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06] } as const;
const p3Primaries = { red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] } as const;
const d65: Xy = [0.3127, 0.329];

/**
 * Kinds of screens at doors: primaries of IEC 61966-2-1 and of Display P3, white points and luminances within what such
 * devices are measured at (a panel bluer than D65, a narrow gamut). No single model's data sheet.
 */
export const displays = [
  {
    name: 'tablet sRGB 400',
    ...srgbPrimaries,
    white: d65,
    luminance: 400,
    contrast: 1100,
    widthCm: 16,
    heightCm: 22,
    colourManaged: true,
  },
  {
    name: 'phone P3 500',
    ...p3Primaries,
    white: d65,
    luminance: 500,
    contrast: 100_000,
    widthCm: 7,
    heightCm: 15,
    colourManaged: true,
  },
  {
    name: 'tablet P3 unmanaged 450',
    ...p3Primaries,
    white: [0.305, 0.321],
    luminance: 450,
    contrast: 1400,
    widthCm: 15,
    heightCm: 20,
    colourManaged: false,
  },
  {
    name: 'laptop 250',
    red: [0.59, 0.35],
    green: [0.33, 0.565],
    blue: [0.155, 0.125],
    white: [0.313, 0.336],
    luminance: 250,
    contrast: 800,
    widthCm: 30,
    heightCm: 19,
    colourManaged: true,
  },
] as const satisfies readonly Display[];

const xyz = ([x, y]: Xy): Triple => [x / y, 1, (1 - x - y) / y];

type Matrix = readonly [Triple, Triple, Triple];
const times = (m: Matrix, v: Triple): Triple => [dot(m[0], v), dot(m[1], v), dot(m[2], v)];
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const columns = (a: Triple, b: Triple, c: Triple): Matrix => [
  [a[0], b[0], c[0]],
  [a[1], b[1], c[1]],
  [a[2], b[2], c[2]],
];

function inverse([a, b, c]: Matrix): Matrix {
  const cross = (p: Triple, q: Triple): Triple => [
    p[1] * q[2] - p[2] * q[1],
    p[2] * q[0] - p[0] * q[2],
    p[0] * q[1] - p[1] * q[0],
  ];
  const determinant = dot(a, cross(b, c));
  const scaled = (v: Triple): Triple => [v[0] / determinant, v[1] / determinant, v[2] / determinant];
  return columns(scaled(cross(b, c)), scaled(cross(c, a)), scaled(cross(a, b)));
}

/** From a display's linear channels to XYZ with its white at Y = 1. */
function toXyz({ red, green, blue, white }: Pick<Display, 'red' | 'green' | 'blue' | 'white'>): Matrix {
  const primaries = columns(xyz(red), xyz(green), xyz(blue));
  const [r, g, b] = times(inverse(primaries), xyz(white));
  const scaled = ([p, q, s]: Triple): Triple => [p * r, q * g, s * b];
  return [scaled(primaries[0]), scaled(primaries[1]), scaled(primaries[2])];
}

const srgbToXyz = toXyz({ ...srgbPrimaries, white: d65 });
const xyzToSrgb = inverse(srgbToXyz);

/** sRGB bytes of a full screen. */
export interface ScreenColour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/**
 * The light of a full-screen colour in linear sRGB (channels may be below 0 outside of that gamut), times cd/m²: `[L,
 * L, L]` is a D65 white of L cd/m². Null: the screen is black, which for an LCD is not dark.
 */
export function displayLight(display: Display, colour: ScreenColour | null): Triple {
  const leak = 1 / display.contrast;
  const asked: Triple =
    colour === null
      ? [0, 0, 0]
      : [linearFromSrgb(colour.red), linearFromSrgb(colour.green), linearFromSrgb(colour.blue)];
  const own = toXyz(display);
  const driven = display.colourManaged ? times(inverse(own), scaledToWhite(times(srgbToXyz, asked), display)) : asked;
  const channel = (value: number): number => leak + (1 - leak) * Math.min(1, Math.max(0, value));
  const [r, g, b] = times(xyzToSrgb, times(own, [channel(driven[0]), channel(driven[1]), channel(driven[2])]));
  return [r * display.luminance, g * display.luminance, b * display.luminance];
}

/** sRGB white becomes the display's white, as systems do it. */
function scaledToWhite([x, y, z]: Triple, { white }: Display): Triple {
  const [from, to] = [xyz(d65), xyz(white)];
  return [(x * to[0]) / from[0], y, (z * to[2]) / from[2]];
}
