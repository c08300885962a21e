// The flat ABI: every export takes and returns numbers. Addresses point into memory that the caller manages from
// heapBase() on. Nothing here allocates.

export { convolve } from './convolution';
export { convolveDepthwise } from './depthwise';
export { gcmOpen, gcmSeal } from './gcm';
export { expandRgb, warpBox, warpGrid } from './image';
export { convolveIntegers } from './integer-convolution';
export { logisticIntegers, poolIntegers, quantise, scaleIntegers, upsampleIntegers } from './integer-maps';
export { addMaps, averagePool, logistic, maxPool, padAfter, scaleChannels, scaleMap, softmax, upsample } from './maps';
export { cosine, normalise } from './vector';

/** First address that the caller may use. */
export function heapBase(): usize {
  return __heap_base;
}
