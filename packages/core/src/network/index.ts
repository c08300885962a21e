/** Convolutional networks on the core's own kernels. */
export { decodeNetwork, encodeNetwork } from './format.ts';
export type {
  IntegerFilters,
  IntegerLayer,
  IntegerMap,
  IntegerPlan,
  QuantiseLayer,
} from './integer-plan.ts';
export { createIntegerNetwork, createNetwork, type Network } from './network.ts';
export type {
  Activation,
  AddLayer,
  AffineLayer,
  Border,
  ConvolutionLayer,
  DepthwiseLayer,
  MapShape,
  NetworkLayer,
  NetworkPlan,
  ScaleLayer,
} from './plan.ts';
export { widenChannels } from './widen.ts';
