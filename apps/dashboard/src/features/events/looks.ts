import { MAX_LOGO_UPLOAD_BYTES, type SetWidgetSettingsRequest, type WidgetSettings } from '@svc/protocol';

export type Theme = 'auto' | 'light' | 'dark';

/** How the widget looks, as the form has it. */
export interface Looks {
  /** `#rrggbb`; null: the service's own. */
  readonly accent: string | null;
  readonly font: string;
  /** CSS pixels; null: the service's own. */
  readonly radius: number | null;
  readonly theme: Theme;
  /** One line by language. */
  readonly heading: Readonly<Record<string, string>>;
  /** `kept`: as it is set. */
  readonly logo: 'kept' | { readonly imageBase64: string; readonly type: string } | null;
}

type BrandOf = NonNullable<WidgetSettings['brand']>;
type BrandChange = NonNullable<SetWidgetSettingsRequest['brand']>;

export function looksOf(brand: BrandOf | null): Looks {
  return {
    accent: brand?.accent ?? null,
    font: brand?.font ?? '',
    radius: brand?.radius ?? null,
    theme: brand?.theme ?? 'auto',
    heading: { ...brand?.heading },
    logo: brand?.logo === null || brand?.logo === undefined ? null : 'kept',
  };
}

/** The change that makes a brand look so. @param hadLogo whether there is one to remove */
export function changeOf(looks: Looks, hadLogo: boolean): BrandChange {
  const heading = Object.fromEntries(
    Object.entries(looks.heading)
      .map(([language, text]) => [language, text.trim()] as const)
      .filter(([, text]) => text !== ''),
  );
  const { logo } = looks;
  return {
    accent: looks.accent,
    font: looks.font.trim() === '' ? null : looks.font.trim(),
    radius: looks.radius,
    theme: looks.theme,
    heading: Object.keys(heading).length === 0 ? null : heading,
    ...(logo === 'kept' || (logo === null && !hadLogo)
      ? {}
      : { logo: logo === null ? null : { imageBase64: logo.imageBase64 } }),
  };
}

export type LogoFault = 'type' | 'size';

/** Whether a file can be a logo, before it is sent. */
export function logoFault({ type, size }: Pick<File, 'type' | 'size'>): LogoFault | null {
  if (type !== 'image/png' && type !== 'image/jpeg') return 'type';
  return size > MAX_LOGO_UPLOAD_BYTES ? 'size' : null;
}
