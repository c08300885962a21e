/** Convolutional networks on the core's own kernels. */
export { createNetwork, type Network } from './network.ts';
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
