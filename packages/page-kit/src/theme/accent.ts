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

/** The shades of an organiser's colour, for one theme; `#rrggbb` each. */
export interface AccentShades {
  /** The colour itself: buttons, marks, progress. */
  readonly fill: string;
  /** The fill under a pointer. */
  readonly fillStrong: string;
  /** Text on the fills. */
  readonly onFill: string;
  /** The fill's edge: the colour itself where it stands out from the page, else a shade of it that does. */
  readonly fillLine: string;
  /** Links, text and thin lines: the colour itself where it is readable, else the nearest shade of it that is. */
  readonly accent: string;
  readonly focus: string;
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/**
 * The background in `tokens.css` with the least contrast to text: a colour that is readable here is readable on all,
 * which a test checks.
 */
const HARDEST_GROUND = { light: parseHex('#e9edf1'), dark: parseHex('#0f2a1c') } as const;
/** WCAG 2.2, 1.4.3 (4.5:1). Of black and white one always reaches it: at worst both have 4.58:1. */
const LEAST_ON_FILL = 4.5;
/** The same, with a margin for the rounding of channels. */
const LEAST_AS_TEXT = 4.55;
/** WCAG 2.2, 1.4.11 (3:1), with that margin. */
const LEAST_AS_SHAPE = 3.05;
const STEP = 0.02;
/** How far the fill goes away from its text under a pointer, and how far at most, for the difference to be seen. */
const STRONGER = { from: 0.2, to: 0.5 } as const;
/** How far it comes towards its text where it is as light or as dark as can be. */
const BACK = 0.12;
/** A smaller contrast of two fills is not seen. */
const LEAST_SEEN = 1.12;

/** The colour, or the nearest shade of it towards black or white with at least this contrast to every background. */
function readable(wanted: Rgb, theme: 'light' | 'dark', least: number): Rgb {
  const towards = theme === 'light' ? BLACK : WHITE;
  let shade = wanted;
  for (let amount = STEP; contrast(shade, HARDEST_GROUND[theme]) < least; amount += STEP) {
    shade = mix(wanted, towards, Math.min(amount, 1));
  }
  return shade;
}

/** Text on a fill, and the fill under a pointer. */
function pairOn(fill: Rgb): { readonly onFill: Rgb; readonly fillStrong: Rgb } {
  const onFill = contrast(fill, WHITE) >= LEAST_ON_FILL ? WHITE : BLACK;
  for (let amount: number = STRONGER.from; amount <= STRONGER.to; amount += STEP) {
    const fillStrong = mix(fill, onFill === WHITE ? BLACK : WHITE, amount);
    if (contrast(fill, fillStrong) >= LEAST_SEEN) return { onFill, fillStrong };
  }
  return { onFill, fillStrong: mix(fill, onFill, BACK) };
}

function shadesOn(theme: 'light' | 'dark', fill: Rgb): AccentShades {
  const { onFill, fillStrong } = pairOn(fill);
  const accent = toHex(readable(fill, theme, LEAST_AS_TEXT));
  return {
    fill: toHex(fill),
    fillStrong: toHex(fillStrong),
    onFill: toHex(onFill),
    fillLine: toHex(readable(fill, theme, LEAST_AS_SHAPE)),
    accent,
    focus: accent,
  };
}

/**
 * The shades of any colour. Yellow stays yellow where it is a fill, with black text on it and an edge that can be seen;
 * as text it is as dark or as light as it has to be (WCAG 2.2, 1.4.3 and 1.4.11), on every background of the tokens.
 * @param hex `#rrggbb`
 */
export function accentShades(hex: string): { readonly light: AccentShades; readonly dark: AccentShades } {
  const fill = parseHex(hex);
  return { light: shadesOn('light', fill), dark: shadesOn('dark', fill) };
}
