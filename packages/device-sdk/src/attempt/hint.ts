import { type EngineImage, type FaceAnalysis, scorableLimits } from '@svc/face-engine';
import type { PromptHint } from '../verification/prompts.ts';

/** What the guest should change so that the frame can be judged; null when nothing. The limits are the passive check's own. */
export function hintFor(image: Pick<EngineImage, 'width' | 'height'>, face: FaceAnalysis): PromptHint | null {
  const { box, quality } = face;
  if (Math.min(image.width / box.width, image.height / box.height) < scorableLimits.contextScale) return 'step-back';
  if (quality.interEyePx < scorableLimits.interEyePx) return 'come-closer';
  if (quality.brightness < scorableLimits.brightness) return 'more-light';
  return null;
}
