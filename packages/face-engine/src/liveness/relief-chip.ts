import type { CoreImage } from '@svc/core';
import { chipTransformFor } from '../embed/alignment.ts';
import type { Landmarks } from '../mesh/landmarks.ts';
import { toLuma } from '../quality.ts';

/** Eyes some 37 pixels apart: as many as a face in a door's camera has, so that little is made up and little thrown away. */
export const reliefChipSize = 105;

/** From the chip to source pixels. */
export const reliefChipTransform = chipTransformFor({ size: reliefChipSize, padding: 0.25 });

/** The face aligned by a similarity, `Uint8Array[size·size]` of luma. The caller wipes it. */
export function reliefChipOf(image: CoreImage, landmarks: Landmarks): Uint8Array {
  const rgb = image.warpToBytes(reliefChipTransform(landmarks), reliefChipSize, reliefChipSize, { fill: 'edge' });
  const luma = new Uint8Array(reliefChipSize * reliefChipSize);
  toLuma(rgb, luma);
  rgb.fill(0);
  return luma;
}
