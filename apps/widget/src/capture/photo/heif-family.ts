/** Major brands of HEIC, HEIF and AVIF (ISO/IEC 23008-12, AV1 Image File Format). */
const brands = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1', 'mif2', 'avif', 'avis'];

/**
 * Whether a file is a HEIC, HEIF or AVIF picture, by the `ftyp` box at its start (ISO/IEC 14496-12).
 * @param head its first twelve bytes
 */
export function isHeifFamily(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(4, 12));
  return text.startsWith('ftyp') && brands.includes(text.slice(4));
}
