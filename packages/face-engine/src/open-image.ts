import { type CoreImage, FaceError } from '@svc/core';
import type { EngineImage } from './types.ts';

/**
 * The core image behind an image that an engine opened: they are the same object, known by shape and not by class, since
 * liveness and engine may come out of different bundles.
 *
 * @throws FaceError `invalid-argument`
 */
export function coreImageOf(image: EngineImage): CoreImage {
  if ('warpToFloat' in image && 'warpToBytes' in image) return image as CoreImage;
  throw new FaceError('invalid-argument', 'not an image that an engine opened');
}
