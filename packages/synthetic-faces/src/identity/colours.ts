import { clamp, lerp } from '../math.ts';

/** Linear-light RGB, 0..1. */
export type Colour = readonly [number, number, number];

/** IEC 61966-2-1 decoding of one 8-bit channel. */
export function linearFromSrgb(value: number): number {
  const x = value / 255;
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}

/** IEC 61966-2-1 encoding to 0..1. */
export function srgbFromLinear(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

export const srgb = (r: number, g: number, b: number): Colour => [
  linearFromSrgb(r),
  linearFromSrgb(g),
  linearFromSrgb(b),
];

const blend = (a: Colour, b: Colour, t: number): Colour => [
  lerp(a[0], b[0], t),
  lerp(a[1], b[1], t),
  lerp(a[2], b[2], t),
];

const tones: readonly Colour[] = [
  srgb(240, 206, 188),
  srgb(228, 186, 160),
  srgb(204, 154, 120),
  srgb(168, 114, 80),
  srgb(118, 76, 53),
  srgb(74, 47, 36),
];

/**
 * Diffuse reflectance of skin from very light (tone 0) to very dark (1); a positive undertone is more yellow, a
 * negative one more pink.
 */
export function skinAlbedo(tone: number, undertone: number, brightness: number): Colour {
  const position = clamp(tone, 0, 1) * (tones.length - 1);
  const low = Math.min(tones.length - 2, Math.floor(position));
  const [a, b] = [tones[low], tones[low + 1]];
  if (!a || !b) throw new RangeError('tone');
  const base = blend(a, b, position - low);
  const shift = clamp(undertone, -2, 2);
  return [
    clamp(base[0] * brightness * (1 - 0.015 * shift), 0.01, 0.95),
    clamp(base[1] * brightness * (1 + 0.03 * shift), 0.01, 0.95),
    clamp(base[2] * brightness * (1 - 0.09 * shift), 0.01, 0.95),
  ];
}

const palette = (first: Colour, ...rest: Colour[]): [Colour, ...Colour[]] => [first, ...rest];

export const hairColours: {
  readonly fair: [Colour, ...Colour[]];
  dark: [Colour, ...Colour[]];
  dyed: [Colour, ...Colour[]];
} = {
  fair: palette(
    srgb(196, 160, 106),
    srgb(160, 122, 78),
    srgb(222, 196, 150),
    srgb(122, 88, 58),
    srgb(142, 66, 32),
    srgb(100, 44, 26),
    srgb(92, 64, 44),
  ),
  dark: palette(srgb(20, 17, 16), srgb(30, 23, 20), srgb(48, 33, 25), srgb(66, 45, 32), srgb(24, 20, 22)),
  dyed: palette(srgb(60, 70, 150), srgb(170, 60, 110), srgb(60, 130, 110), srgb(190, 40, 30)),
};

export const irisColours: { readonly fair: [Colour, ...Colour[]]; readonly dark: [Colour, ...Colour[]] } = {
  fair: palette(srgb(96, 130, 158), srgb(120, 148, 160), srgb(104, 124, 84), srgb(130, 108, 66), srgb(78, 108, 140)),
  dark: palette(srgb(58, 36, 22), srgb(42, 26, 18), srgb(82, 54, 30), srgb(30, 20, 16)),
};
