/** CSS pixels per centimetre: about 58 on phones, 52 on tablets, 45 on laptops. */
const pixelsPerCm = 52;
/** Luminance in cd/m²: laptops have about 250, phones 500. */
const luminance = 400;

/**
 * Luminous intensity of a white screen in candela, from its size in CSS pixels; within a factor of 1.4 for phones,
 * tablets and laptops at full brightness.
 */
export const screenCandela = ({ width, height }: Pick<Screen, 'width' | 'height'>): number =>
  luminance * (width / pixelsPerCm / 100) * (height / pixelsPerCm / 100);
