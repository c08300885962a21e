import { type EngineImage, type FaceAnalysis, scorableLimits } from '@svc/face-engine';
import type { Guidance } from '../verification/prompts.ts';

/** What the guest should change so that the frame can be judged; null when nothing. The limits are the passive check's own. */
export function guidanceFor(image: Pick<EngineImage, 'width' | 'height'>, face: FaceAnalysis): Guidance | null {
  const { box, quality } = face;
  if (Math.min(image.width / box.width, image.height / box.height) < scorableLimits.contextScale) return 'step-back';
  if (quality.interEyePx < scorableLimits.interEyePx) return 'come-closer';
  if (quality.brightness < scorableLimits.brightness.least) return 'more-light';
  return null;
}
