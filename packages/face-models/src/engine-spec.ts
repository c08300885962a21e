import type { EngineSpec } from './types.ts';

/**
 * Templates are unit vectors: mean of dlib's ResNet on the aligned chip and on its mirror image. Change of model, alignment or
 * resampling is a new engine.
 */
export const engineSpec: EngineSpec = {
  engineId: 'dlib-resnet-128-mirror/1',
  dimension: 128,
  matchThreshold: 0.946,
};
