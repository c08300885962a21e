/** CSS pixels are made to look alike at the distance a device is held: some 58 a centimetre on phones, 52 on tablets, 45 on laptops. */
const pixelsPerCm = 52;
/** Between the 250 cd/m² of a laptop and the 500 of a phone. */
const luminance = 400;

/** What a screen gives all white, candela, by its size in CSS pixels: to a factor of 1.4 on phones, tablets and laptops at full brightness. */
export const screenCandela = ({ width, height }: Pick<Screen, 'width' | 'height'>): number =>
  luminance * (width / pixelsPerCm / 100) * (height / pixelsPerCm / 100);
