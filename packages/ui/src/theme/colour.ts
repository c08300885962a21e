/** Red, green and blue of sRGB, 0 to 255. */
export type Rgb = readonly [number, number, number];

/** @param hex `#rrggbb`, in either case */
export function parseHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** @returns `#rrggbb` */
export function toHex(rgb: Rgb): string {
  return `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** `amount` of `other` in `colour`, 0 to 1. */
export function mix(colour: Rgb, other: Rgb, amount: number): Rgb {
  const channel = (i: 0 | 1 | 2) => colour[i] + (other[i] - colour[i]) * amount;
  return [channel(0), channel(1), channel(2)];
}

/** Relative luminance, 0 to 1 (WCAG 2.2, definitions). */
export function luminance(rgb: Rgb): number {
  const [r = 0, g = 0, b = 0] = rgb.map((channel) => {
    const c = channel / 255;
    return c <= 0.040_45 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast ratio, 1 to 21 (WCAG 2.2, definitions). */
export function contrast(a: Rgb, b: Rgb): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}
