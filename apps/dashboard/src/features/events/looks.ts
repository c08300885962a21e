import { MAX_LOGO_UPLOAD_BYTES, type SetWidgetSettingsRequest, type WidgetSettings } from '@svc/protocol';

/** Who the widget says the organiser is, and how it looks, as the form has it. */
export interface Looks {
  readonly organiserName: string;
  readonly privacyNoticeUrl: string;
  /** `#rrggbb`; null: the service's own. */
  readonly accent: string | null;
  readonly font: string;
  /** CSS pixels; empty: the service's own. */
  readonly radius: string;
  readonly theme: 'auto' | 'light' | 'dark';
  /** One line by language. */
  readonly heading: Readonly<Record<string, string>>;
  readonly logo: { readonly imageBase64: string; readonly type: string } | null;
}

/** @param settings null: none yet */
export function looksOf(settings: WidgetSettings | null): Looks {
  const { organiserName = '', privacyNoticeUrl = '' } = settings ?? {};
  const brand = settings?.brand ?? null;
  const logo = brand?.logo ?? null;
  return {
    ...{ organiserName, privacyNoticeUrl },
    accent: brand?.accent ?? null,
    font: brand?.font ?? '',
    radius: String(brand?.radius ?? ''),
    theme: brand?.theme ?? 'auto',
    heading: { ...brand?.heading },
    logo: logo === null ? null : { imageBase64: logo.imageBase64, type: 'image/png' },
  };
}

/** The change that makes a widget look so. @param setLogo the logo that it has, which is not sent again; base64 */
export function changeOf(looks: Looks, setLogo: string | null): SetWidgetSettingsRequest {
  const headings = Object.entries(looks.heading).map(([language, text]) => [language, text.trim()] as const);
  const heading = Object.fromEntries(headings.filter(([, text]) => text !== ''));
  const font = looks.font.trim();
  const { accent, theme, radius } = looks;
  const imageBase64 = looks.logo?.imageBase64 ?? null;
  return {
    organiserName: looks.organiserName.trim(),
    privacyNoticeUrl: looks.privacyNoticeUrl.trim(),
    brand: {
      ...{ accent, theme },
      font: font === '' ? null : font,
      radius: radius === '' ? null : Number(radius),
      heading: Object.keys(heading).length === 0 ? null : heading,
      ...(imageBase64 === setLogo ? {} : { logo: imageBase64 === null ? null : { imageBase64 } }),
    },
  };
}

/** Whether a file can be a logo, before it is sent; null if it can. */
export function logoFault({ type, size }: Pick<File, 'type' | 'size'>): 'type' | 'size' | null {
  if (type !== 'image/png' && type !== 'image/jpeg') return 'type';
  return size > MAX_LOGO_UPLOAD_BYTES ? 'size' : null;
}
