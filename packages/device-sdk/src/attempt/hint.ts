import { type EngineImage, type FaceAnalysis, livenessContextScale, type ScorableLimits } from '@svc/face-engine';
import type { PromptHint } from '../verification/prompts.ts';

/** What the guest should change so that the frame can be judged; null when nothing. One hint for each limit of the passive check. */
export function hintFor(
  image: Pick<EngineImage, 'width' | 'height'>,
  face: FaceAnalysis,
  scorable: ScorableLimits,
): PromptHint | null {
  const { box, quality } = face;
  if (livenessContextScale(image, box) < scorable.contextScale) return 'step-back';
  if (quality.interEyePx < scorable.interEyePx) return 'come-closer';
  if (quality.brightness < scorable.brightness) return 'more-light';
  if (quality.overexposed > scorable.overexposed) return 'less-light';
  if (quality.sharpness < scorable.sharpness) return 'hold-still';
  return null;
}
