import type {
  AddLayer,
  AffineLayer,
  ConvolutionLayer,
  DepthwiseLayer,
  NetworkLayer,
  ScaleLayer,
} from '@svc/core/network';

type ActivatingLayer = ConvolutionLayer | DepthwiseLayer | AddLayer | AffineLayer;

/** Whether slopes can become a layer's activation. */
export function isFusibleActivation(layer: NetworkLayer): layer is ActivatingLayer {
  return 'activation' in layer && layer.activation === 'none';
}

/** Lets a layer add what is added to its output alone: the sum is made while it is in registers. */
export function fuseAdditions(layers: readonly NetworkLayer[], outputs: readonly number[]): NetworkLayer[] {
  const taken = new Set<NetworkLayer>();
  const fused = layers.map((layer) => {
    if (layer.kind !== 'add') return layer;
    const first = layers.find(
      (other): other is ConvolutionLayer | ScaleLayer =>
        canAdd(other, layer, layers, outputs) && layer.inputs.includes(other.output) && !taken.has(other),
    );
    if (first === undefined) return layer;
    taken.add(first);
    const [a, b] = layer.inputs;
    const residual = a === first.output ? b : a;
    if (first.kind === 'scale') return { ...first, output: layer.output, residual };
    return { ...first, output: layer.output, residual, activation: layer.activation };
  });
  return fused.filter((layer) => !taken.has(layer));
}

/** A layer of the kinds that can add, whose output is read once and is nobody else's. */
function canAdd(
  layer: NetworkLayer,
  sum: AddLayer,
  layers: readonly NetworkLayer[],
  outputs: readonly number[],
): layer is ConvolutionLayer | ScaleLayer {
  if (layer.kind === 'scale' ? sum.activation !== 'none' : !isPlainConvolution(layer)) return false;
  const isReadOnce = layers.flatMap(readsOf).filter((map) => map === layer.output).length === 1;
  return isReadOnce && !outputs.includes(layer.output);
}

const isPlainConvolution = (layer: NetworkLayer): boolean =>
  layer.kind === 'convolution' && layer.activation === 'none' && layer.residual === null;

function readsOf(layer: NetworkLayer): readonly number[] {
  if (layer.kind === 'add') return layer.inputs;
  return layer.kind === 'scale' ? [layer.input, layer.gates] : [layer.input];
}
