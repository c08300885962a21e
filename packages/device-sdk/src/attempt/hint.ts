import { type EngineImage, type FaceAnalysis, livenessContextScale, type PassiveCalibration } from '@svc/face-engine';
import type { PromptHint } from '../verification/prompts.ts';

/**
 * The hint that lets the frame be judged, or judged better; null if none is needed. One hint per limit of the passive
 * check, and a last one for a scored face with little room around it.
 */
export function hintFor(
  image: Pick<EngineImage, 'width' | 'height'>,
  face: FaceAnalysis,
  { room, scorable }: Pick<PassiveCalibration, 'room' | 'scorable'>,
): PromptHint | null {
  const { box, quality } = face;
  const around = livenessContextScale(image, box);
  if (around < scorable.contextScale) return 'step-back';
  if (quality.interEyePx < scorable.interEyePx) return 'come-closer';
  if (quality.brightness < scorable.brightness) return 'more-light';
  if (quality.overexposed > scorable.overexposed) return 'less-light';
  if (quality.sharpness < scorable.sharpness) return 'hold-still';
  return around < room.comfortableFrom ? 'step-back' : null;
}
