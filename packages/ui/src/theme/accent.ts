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

/** Blends two colours: `amount` 0 gives `colour`, 1 gives `other`. */
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

/** The shades derived from an accent colour, for one theme; `#rrggbb` each. */
export interface AccentShades {
  readonly accent: string;
  readonly accentStrong: string;
  readonly onAccent: string;
  readonly focus: string;
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/**
 * The background in `tokens.css` with the least contrast to text: a colour that is readable here is readable on all,
 * which a test checks.
 */
const HARDEST_GROUND = { light: parseHex('#e9edf1'), dark: parseHex('#0f2a1c') } as const;
const ON_ACCENT = { light: WHITE, dark: parseHex('#0a0d10') } as const;
/** WCAG 2.2, 1.4.3 (4.5:1), with a margin for the rounding of channels. */
const LEAST = 4.55;
const STEP = 0.02;
const STRONGER = 0.24;

function shadesOn(ground: 'light' | 'dark', wanted: Rgb): AccentShades {
  const towards = ground === 'light' ? BLACK : WHITE;
  let accent = wanted;
  for (let amount = STEP; contrast(accent, HARDEST_GROUND[ground]) < LEAST; amount += STEP) {
    accent = mix(wanted, towards, Math.min(amount, 1));
  }
  const strong = mix(accent, towards, STRONGER);
  return {
    accent: toHex(accent),
    accentStrong: toHex(strong),
    onAccent: toHex(ON_ACCENT[ground]),
    focus: toHex(ground === 'light' ? accent : strong),
  };
}

/**
 * Readable shades of any colour: as text on every background of the tokens, and as the background of text (4.5:1, WCAG
 * 2.2, 1.4.3). A readable colour is kept; others are darkened or lightened only as much as needed.
 * @param hex `#rrggbb`
 */
export function accentShades(hex: string): { readonly light: AccentShades; readonly dark: AccentShades } {
  const wanted = parseHex(hex);
  return { light: shadesOn('light', wanted), dark: shadesOn('dark', wanted) };
}
