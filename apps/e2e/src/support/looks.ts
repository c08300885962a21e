/** Phones upright and lying, a tablet, a laptop, a wide screen, a screen on a stand; CSS pixels. */
export const windows = {
  small: { width: 320, height: 640 },
  phone: { width: 390, height: 844 },
  lying: { width: 667, height: 375 },
  tablet: { width: 820, height: 1180 },
  laptop: { width: 1280, height: 800 },
  wide: { width: 1920, height: 1080 },
  stand: { width: 1080, height: 1920 },
} as const;

/** Themes and languages in which pictures are taken; Arabic is written from the right to the left. */
export const looks = [
  { colorScheme: 'light', locale: 'en-GB' },
  { colorScheme: 'dark', locale: 'de-DE' },
  { colorScheme: 'light', locale: 'ar' },
] as const;
