import type { CoreKind } from '../load-core.ts';
import { type Computation, lanes, sizeOf, slopesOf, windowBytes } from './compiled-layer.ts';
import { centresOf, packByChannels, packFilters, transformFilters } from './filters.ts';
import { depthwiseScratch } from './integer-filters.ts';
import type { ConvolutionLayer, DepthwiseLayer, MapShape } from './plan.ts';

/** Floats of a Winograd layer's work space, sized for a processor core's second-level cache. */
const targetScratch = 180_000;

/** Floats of packed windows processed at a time. */
const targetPacked = 16_384;

const noBorder = [0, 0, 0, 0] as const;

export function compileConvolution(layer: ConvolutionLayer, x: MapShape, y: MapShape): Computation {
  const [height, width] = layer.size;
  const isCentred = height === 3 && width === 3 && layer.stride === 1 && layer.border.every((n) => n === 1);
  if (isCentred && sizeOf(x) === x.channels) {
    const filters = centresOf(layer.filters, x.channels);
    return compileDirect({ ...layer, size: [1, 1], border: noBorder, filters }, x, y);
  }
  const isWinograd = isCentred && x.channels % lanes === 0 && typeof layer.activation === 'string';
  return isWinograd ? compileWinograd(layer, x, y) : compileDirect(layer, x, y);
}

function compileDirect(layer: ConvolutionLayer, x: MapShape, y: MapShape): Computation {
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

function compileWinograd(layer: ConvolutionLayer, x: MapShape, y: MapShape): Computation {
  const columns = Math.ceil(x.width / 2);
  const scratchOf = (rows: number): number => 16 * Math.ceil((rows * columns) / 4) * 4 * (x.channels + y.channels);
  let rows = Math.ceil(x.height / 2);
  while (rows > 1 && scratchOf(rows) > targetScratch) rows--;
  const { input, output, residual } = layer;
  const floor = layer.activation === 'relu' ? 0 : Number.NEGATIVE_INFINITY;
  return {
    weights: [transformFilters(layer.filters, y.channels), layer.bias],
    scratch: 4 * scratchOf(rows),
    run(kernels, { map, weights: [filters = 0, bias = 0], scratch }) {
      const from = [map(input), x.height, x.width, x.channels] as const;
      const parameters = [filters, bias, residual === null ? 0 : map(residual), floor] as const;
      kernels.convolveWinograd(...from, ...parameters, map(output), y.channels, scratch, rows);
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
