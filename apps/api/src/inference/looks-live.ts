import type { PixelImage } from '@svc/core';
import type { FaceAnalysis, FaceEngine, PassiveLiveness } from '@svc/face-engine';

/**
 * The passive check of an enrolment photo, with the calibrated threshold for single photos.
 * @param open loads the check at the first photo; called again for the next one if it fails
 */
export function createLooksLive(
  engine: Pick<FaceEngine, 'open'>,
  open: () => Promise<PassiveLiveness | null>,
): (pixels: PixelImage, face: FaceAnalysis) => Promise<boolean> {
  let opened: Promise<PassiveLiveness | null> | null = null;
  return async (pixels, face) => {
    opened ??= open();
    const check = await opened.catch((error: unknown) => {
      opened = null;
      throw error;
    });
    const least = check?.calibration.photoAtLeast ?? null;
    if (check === null || least === null) throw new Error('there is no passive check of photos');
    const image = engine.open(pixels);
    try {
      const score = await check.score(image, face);
      return score !== null && score >= least;
    } finally {
      image.dispose();
    }
  };
}
