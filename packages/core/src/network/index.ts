/** Convolutional networks on the core's own kernels. */
export { createNetwork, type Network } from './network.ts';
export type {
  Activation,
  AddLayer,
  AffineLayer,
  Border,
  ConvolutionLayer,
  DepthwiseLayer,
  LogisticLayer,
  MapShape,
  NetworkLayer,
  NetworkPlan,
  PadLayer,
  PoolLayer,
  ScaleLayer,
  SoftmaxLayer,
} from './plan.ts';
