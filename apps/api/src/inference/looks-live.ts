import type { PixelImage } from '@svc/core';
import type { FaceAnalysis, FaceEngine, PassiveLiveness } from '@svc/face-engine';

/** Of one picture, where no other frames can make up for a bad one: by the middle, and not by the stricter rule of a visit. */
const LIVE_SCORE = 0.5;

/**
 * The passive check of a photo at enrolment.
 *
 * @param open loads the check, at the first photo; tried again with the next one where it fails
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
    if (check === null) throw new Error('there is no passive check');
    const image = engine.open(pixels);
    try {
      const score = await check.score(image, face);
      return score !== null && score >= LIVE_SCORE;
    } finally {
      image.dispose();
    }
  };
}
