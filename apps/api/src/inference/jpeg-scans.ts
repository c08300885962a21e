const RST0 = 0xd0;
const RST7 = 0xd7;
const EOI = 0xd9;
const SOS = 0xda;
const TEM = 0x01;

/** Index of the next marker's code, over data, stuffed zeros and fill bytes; the length of the photo where there is none. */
function nextMarker(photo: Uint8Array, from: number): number {
  for (let at = from + 1; at < photo.length; at += 1) {
    if (photo[at - 1] === 0xff && photo[at] !== 0xff && photo[at] !== 0) return at;
  }
  return photo.length;
}

/**
 * Scans of a JPEG (ITU-T T.81 section B.1.1), counted up to `limit` + 1. Markers are found as libjpeg finds them, nonsense
 * between them included, so that it never decodes a scan that was not counted.
 * @param photo begins with a start of image
 */
export function countJpegScans(photo: Uint8Array, limit: number): number {
  let scans = 0;
  let at = 2;
  while (scans <= limit) {
    at = nextMarker(photo, at);
    const marker = photo[at];
    if (marker === undefined || marker === EOI) break;
    at += 1;
    if (marker === TEM || (marker >= RST0 && marker <= RST7)) continue;
    if (marker === SOS) scans += 1;
    at += ((photo[at] ?? 0) << 8) | (photo[at + 1] ?? 0);
  }
  return scans;
}
