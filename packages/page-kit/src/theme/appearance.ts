import { accentShades } from './accent.ts';

/** How an organiser wants a page to look. Null: the page's default. */
export interface Appearance {
  readonly theme: 'system' | 'light' | 'dark';
  /** `#rrggbb`: kept as a fill; readable shades are derived from it for text. */
  readonly accent: string | null;
  /** Radius of controls and cards, in px, 0 to 32. */
  readonly radiusPx: number | null;
  /** Installed font families; no fonts are fetched. */
  readonly font: string | null;
  /** BCP 47; null: the browser's preference. */
  readonly language: string | null;
}

const MAX_RADIUS_PX = 32;
const genericFamilies =
  /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-serif|ui-sans-serif|ui-monospace|ui-rounded)$/;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

function readAccent(value: unknown): string | null {
  const [, digits] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(textOf(value)) ?? [];
  if (digits === undefined) return null;
  return `#${(digits.length === 3 ? digits.replace(/./g, '$&$&') : digits).toLowerCase()}`;
}

function readRadius(value: unknown): number | null {
  const [, digits] = /^(\d{1,3})(?:px)?$/.exec(textOf(typeof value === 'number' ? String(value) : value)) ?? [];
  return digits === undefined ? null : Math.min(Number(digits), MAX_RADIUS_PX);
}

/** Each name is quoted, so that it cannot be other CSS. */
function readFont(value: unknown): string | null {
  const names = textOf(value)
    .split(',')
    .map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .filter((name) => /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,63}$/u.test(name))
    .slice(0, 8);
  if (names.length === 0) return null;
  return names.map((name) => (genericFamilies.test(name) ? name : `"${name}"`)).join(', ');
}

/** A language that an embedding page asks for, BCP 47; null if it is none. */
export function readLanguage(value: unknown): string | null {
  const text = textOf(value);
  return /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/.test(text) ? text : null;
}

/**
 * Reads the settings of an embedding page. Invalid values count as missing.
 * @param values `theme`, `accent`, `radius`, `font`, `language`; others are ignored
 */
export function readAppearance(values: Readonly<Record<string, unknown>>): Appearance {
  const { theme, accent, radius, font, language } = values;
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    accent: readAccent(accent),
    radiusPx: readRadius(radius),
    font: readFont(font),
    language: readLanguage(language),
  };
}

/** The looks of one, where it has none those of the other. */
export function appearanceOver(first: Appearance, second: Appearance): Appearance {
  return {
    theme: first.theme === 'system' ? second.theme : first.theme,
    accent: first.accent ?? second.accent,
    radiusPx: first.radiusPx ?? second.radiusPx,
    font: first.font ?? second.font,
    language: first.language ?? second.language,
  };
}

/** Combines the colours of both themes into one CSS value. */
type Pair = (light: string, dark: string) => string;

const lightDark: Pair = (light, dark) => `light-dark(${light}, ${dark})`;

/**
 * The tokens (`tokens.css`) that an appearance changes, by name.
 * @param pair default: `light-dark()`
 */
export function tokensOf({ accent, radiusPx, font }: Appearance, pair: Pair = lightDark): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  if (accent !== null) {
    const { light, dark } = accentShades(accent);
    tokens.set('--svc-fill', pair(light.fill, dark.fill));
    tokens.set('--svc-fill-strong', pair(light.fillStrong, dark.fillStrong));
    tokens.set('--svc-on-fill', pair(light.onFill, dark.onFill));
    tokens.set('--svc-fill-line', pair(light.fillLine, dark.fillLine));
    tokens.set('--svc-accent', pair(light.accent, dark.accent));
    tokens.set('--svc-focus', pair(light.focus, dark.focus));
  }
  if (radiusPx !== null) {
    tokens.set('--svc-radius', `${radiusPx}px`);
    tokens.set('--svc-radius-large', `${Math.min(2 * radiusPx, MAX_RADIUS_PX)}px`);
  }
  if (font !== null) tokens.set('--svc-font', `${font}, system-ui, sans-serif`);
  return tokens;
}

/** For browsers without `light-dark()` (before 2024): the colour of the current theme. */
function pairOfMoment(theme: Appearance['theme']): Pair {
  if (CSS.supports('color', lightDark('#fff', '#000'))) return lightDark;
  const isDark = theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  return (light, dark) => (isDark ? dark : light);
}

/** Applies an appearance to a page, instead of the one before. @param root the document's root element */
export function applyAppearance(root: HTMLElement, appearance: Appearance): void {
  if (appearance.theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = appearance.theme;
  const tokens = tokensOf(appearance, pairOfMoment(appearance.theme));
  for (const name of [...root.style]) {
    if (name.startsWith('--svc-') && !tokens.has(name)) root.style.removeProperty(name);
  }
  for (const [name, value] of tokens) root.style.setProperty(name, value);
}
