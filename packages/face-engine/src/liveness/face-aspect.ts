import { centreOf, distance, type Landmarks } from '../mesh/landmarks.ts';

/** Sides of the face before the ears, top of the forehead, chin. */
const outline = { right: 234, left: 454, top: 10, chin: 152 } as const;

const between = (landmarks: Landmarks, a: number, b: number): number =>
  distance(centreOf(landmarks, a), centreOf(landmarks, b));

/**
 * Width of the face over its height as the picture shows them, about 0.8 from the front; NaN where there is no height. A head is round: turned by
 * 25° it stays nearly as wide, since cheek and temple come into view. A sheet that is turned until its picture seems to look as far aside
 * has narrowed by a fifth and more, bent or not.
 */
export function faceAspect(landmarks: Landmarks): number {
  return between(landmarks, outline.right, outline.left) / between(landmarks, outline.top, outline.chin);
}
