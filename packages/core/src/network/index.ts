/** Convolutional networks on the core's own kernels. */
export { createNetwork, type Network } from './network.ts';
export type { AddLayer, ConvolutionLayer, MapShape, NetworkLayer, NetworkPlan, PadLayer, PoolLayer } from './plan.ts';
