import type { CoreKind } from '../load-core.ts';
import { type Computation, lanes, slopesOf, windowBytes } from './compiled-layer.ts';
import { packByChannels, packFilters } from './filters.ts';
import { depthwiseScratch } from './integer-filters.ts';
import type { ConvolutionLayer, DepthwiseLayer, MapShape } from './plan.ts';

/** Floats of packed windows processed at a time. */
const targetPacked = 16_384;

export function compileConvolution(layer: ConvolutionLayer, x: MapShape, y: MapShape): Computation {
  const { input, output, residual, size, stride } = layer;
  const [top, , left] = layer.border;
  const inner = layer.filters.length / y.channels;
  const pixels = Math.ceil((y.height * y.width) / lanes) * lanes;
  const rows = Math.min(pixels, Math.max(1, Math.floor(targetPacked / inner / lanes)) * lanes);
  return {
    weights: [packFilters(layer.filters, y.channels), layer.bias, slopesOf(layer.activation, y.channels)],
    scratch: windowBytes(layer, x, y, 4) + 4 * rows * inner,
    run(kernels, { map, weights: [filters = 0, bias = 0, slopes = 0], scratch }) {
      const from = [map(input), x.height, x.width, x.channels, ...size, stride, top, left] as const;
      const parameters = [filters, bias, slopes, residual === null ? 0 : map(residual)] as const;
      kernels.convolve(...from, ...parameters, map(output), y.height, y.width, y.channels, scratch, rows);
    },
  };
}

export function compileDepthwise(layer: DepthwiseLayer, x: MapShape, y: MapShape, kind: CoreKind): Computation {
  const { input, output, size, stride } = layer;
  const [top, , left] = layer.border;
  return {
    weights: [packByChannels(kind, layer.filters, x.channels), layer.bias, slopesOf(layer.activation, x.channels)],
    scratch: depthwiseScratch(kind, layer, y, 4),
    run(kernels, { map, weights: [filters = 0, bias = 0, slopes = 0], scratch }) {
      const from = [map(input), x.height, x.width, x.channels, ...size, stride, top, left] as const;
      kernels.convolveDepthwise(...from, filters, bias, 0, slopes, 0, 0, map(output), y.height, y.width, scratch);
    },
  };
}
