import {
  type Activation,
  type ConvolutionLayer,
  type DepthwiseLayer,
  type IntegerLayer,
  type IntegerPlan,
  type MapShape,
  type NetworkLayer,
  type NetworkPlan,
  type QuantiseLayer,
  widenChannels,
} from '@svc/core/network';
import { at } from '../tflite/weights.ts';

/** What {@link quantisePlan} needs to know of a network; recorded in `calibration.json`. */
export interface NetworkCalibration {
  /** Greatest integer weight, at most 1023, of each layer with weights in their order; the last is that of all others. */
  readonly most: readonly number[];
  /** Greatest integer of a map, at most 32767. With more bits the core without SIMD multiplies fewer at a time. */
  readonly mostOfMap: number;
  /** Greatest magnitude in each map of the float plan. */
  readonly ranges: readonly number[];
  /** Base64 of the {@link meanCounts} means, map after map, as signed bytes; 127 is the map's range. */
  readonly means: string;
  /**
   * Base64 of directions in which what the last layer reads varies, one after the other, each with a signed byte for
   * each weight of an output: its weights are rounded so that the errors cancel out along them.
   */
  readonly directions?: string;
}

/** How far beyond its recorded range a map may go before it saturates. */
const headroom = 1.5;
const mostOfWeight = 1023;
/** Of a sum; beyond it is what roundings of scales and bias can add. */
const mostOfSum = 2 ** 31 - 2 ** 12;

/**
 * The same network in integers. Weights have a scale per output channel, and what their rounding adds to an output on
 * average is taken from its bias; each map has as many bits as the sums that read it allow. The same on every machine.
 * @param results shapes of the network's results, which the plan's outputs fill
 * @throws RangeError for a network whose layers cannot all be integers, or a calibration of another one
 */
export function quantisePlan(
  plan: NetworkPlan,
  calibration: NetworkCalibration,
  results: IntegerPlan['results'],
): IntegerPlan {
  const wide = widenChannels(plan);
  const { ranges, mostOfMap } = calibration;
  if (wide === null || ranges.length !== plan.maps.length) throw new RangeError('not a network that can be quantised');
  const { maps, layers, quantise } = withIntegerInput(wide);
  const mapBefore = (map: number): number => (map < plan.maps.length ? map : plan.input);
  const sources = scaleSources(maps, layers);
  const reaches = reachesOf(
    maps.map((_, map) => headroom * at(ranges, mapBefore(map))),
    sources,
  );
  const means = wideMeans(plan, maps, calibration);
  const weighted = layers.filter(isWeighted);
  const loads = new Float64Array(maps.length).fill(1);
  const quantised = layers.map((layer): IntegerLayer => {
    if (layer.kind === 'affine') throw new RangeError('constants by channel after the input');
    if (!isWeighted(layer)) return layer;
    const source = at(sources, layer.input);
    const given = {
      most: calibration.most[weighted.indexOf(layer)] ?? calibration.most.at(-1) ?? mostOfWeight,
      mostOfMap,
      reach: at(reaches, source),
      means: means[mapBefore(layer.input)] ?? [],
      directions: layer === layers.at(-1) ? directionsOf(calibration, layer) : [],
    };
    const [integer, load] = quantiseLayer(layer, given);
    loads[source] = Math.max(at(loads, source), load);
    return integer;
  });
  const floats = floatMaps(plan, layers);
  const integersOf = (source: number) => {
    const most = Math.min(mostOfMap, Math.floor(mostOfSum / at(loads, source)));
    return { scale: Math.fround(at(reaches, source) / most), most };
  };
  return {
    maps: maps.map((shape, map) => ({ ...shape, integers: floats.has(map) ? null : integersOf(at(sources, map)) })),
    input: plan.input,
    outputs: plan.outputs.map((map) => ({ map, channels: plan.maps[map]?.channels ?? 0 })),
    results,
    layers: [quantise, ...quantised],
  };
}

type WeightedLayer = ConvolutionLayer | DepthwiseLayer;

const isWeighted = (layer: NetworkLayer): layer is WeightedLayer =>
  layer.kind === 'convolution' || layer.kind === 'depthwise';

const isWhole = ({ size: [height, width] }: WeightedLayer, map: MapShape | undefined): boolean =>
  height === map?.height && width === map.width;

/** How many means each map has: one per channel where weights read it, per number where their window is the whole map. */
export function meanCounts({ maps, layers }: NetworkPlan): readonly number[] {
  return maps.map((shape, map) => {
    const readers = layers.filter(isWeighted).filter(({ input }) => input === map);
    if (readers.length === 0) return 0;
    return readers.every((layer) => isWhole(layer, shape))
      ? shape.height * shape.width * shape.channels
      : shape.channels;
  });
}

/** The means of each map as its widened rows. */
function wideMeans(plan: NetworkPlan, wide: readonly MapShape[], { means, ranges }: NetworkCalibration) {
  const bytes = signedBytes(means);
  let next = 0;
  return meanCounts(plan).map((count, map) => {
    const { channels = 0 } = plan.maps[map] ?? {};
    const width = map === plan.input ? 4 : (wide[map]?.channels ?? 0);
    const rows = new Float64Array((count / channels) * width);
    for (let i = 0; i < count; i++, next++) {
      rows[Math.floor(i / channels) * width + (i % channels)] = (at(bytes, next) * at(ranges, map)) / 127;
    }
    return rows;
  });
}

const signedBytes = (base64: string): Int8Array => Int8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** For each weight of an output its numbers in all directions. */
function directionsOf({ directions = '' }: NetworkCalibration, { filters, bias }: WeightedLayer) {
  const [bytes, inner] = [signedBytes(directions), filters.length / bias.length];
  if (bytes.length === 0) return [];
  return Array.from({ length: inner }, (_, k) => bytes.filter((_byte, i) => i % inner === k));
}

/** Replaces constants by channel, which only the input may have, by the step to integers of four channels. */
function withIntegerInput({ maps, input, layers }: NetworkPlan) {
  const shape = maps[input] ?? { height: 0, width: 0, channels: 0 };
  const affine = layers.find((layer) => layer.kind === 'affine' && layer.input === input);
  const ones = new Float32Array(shape.channels).fill(1);
  const { output, scales, offsets } =
    affine?.kind === 'affine' ? affine : { output: maps.length, scales: ones, offsets: new Float32Array(ones.length) };
  const quantise: QuantiseLayer = { kind: 'quantise', input, output, scales, offsets };
  const read = affine === undefined ? input : output;
  const others = layers.flatMap((layer): NetworkLayer[] => {
    if (layer === affine) return [];
    if (!('input' in layer) || layer.input !== read) return [layer];
    if (layer.kind !== 'convolution') throw new RangeError('the first layer is no convolution');
    return [{ ...layer, input: output, filters: inFours(layer.filters, shape.channels) }];
  });
  const all: MapShape[] = [...maps];
  all[output] = { ...shape, channels: 4 };
  return { maps: all, layers: others, quantise };
}

/** Rows of `from` numbers, at most four, as rows of four. */
function inFours(values: Float32Array, from: number): Float32Array {
  const wide = new Float32Array((values.length / from) * 4);
  values.forEach((value, i) => {
    wide[Math.floor(i / from) * 4 + (i % from)] = value;
  });
  return wide;
}

/** Maps that stay floats: the input, the outputs, and what logistic functions and softmax read. */
function floatMaps({ input, outputs }: NetworkPlan, layers: readonly NetworkLayer[]): ReadonlySet<number> {
  const read = layers.flatMap((layer) => (layer.kind === 'logistic' || layer.kind === 'softmax' ? [layer.input] : []));
  return new Set([input, ...outputs, ...read]);
}

/** For each map the one whose scale it has: max-pool and pad keep it. */
function scaleSources(maps: readonly MapShape[], layers: readonly NetworkLayer[]): readonly number[] {
  const sources = maps.map((_, map) => map);
  for (const layer of layers) {
    if (layer.kind === 'max-pool' || layer.kind === 'pad') sources[layer.output] = at(sources, layer.input);
  }
  return sources;
}

/** The greatest magnitude of each source's maps. */
function reachesOf(ranges: readonly number[], sources: readonly number[]): readonly number[] {
  const reaches = ranges.map(() => 0);
  sources.forEach((source, map) => {
    reaches[source] = Math.max(at(reaches, source), at(ranges, map));
  });
  return reaches.map((reach) => reach || 1);
}

interface OfInput {
  readonly most: number;
  readonly mostOfMap: number;
  /** Greatest magnitude of the input. */
  readonly reach: number;
  /** Per channel, or of the whole map. */
  readonly means: ArrayLike<number>;
  /** Of each weight of an output, or none. */
  readonly directions: readonly Int8Array[];
}

/**
 * The layer in integers, and the greatest sum of an output's weights, its bias included, in units of the input's
 * greatest integer.
 */
function quantiseLayer(
  layer: WeightedLayer,
  { most, mostOfMap, reach, means, directions }: OfInput,
): readonly [IntegerLayer, number] {
  const { length } = layer.bias;
  const inner = layer.filters.length / length;
  const isDense = layer.kind === 'convolution';
  const indexOf = (output: number, k: number): number => (isDense ? output * inner + k : k * length + output);
  const values = new Int16Array(layer.filters.length);
  const bias = new Float32Array(length);
  const rows = Array.from({ length }, (_, output) =>
    new Float32Array(inner).map((_, k) => layer.filters[indexOf(output, k)] ?? 0),
  );
  // A bias much greater than the weights takes no more than one bit of the sum.
  const scales = scalesOf(rows, most).map((scale, o) =>
    Math.max(scale, Math.abs(at(layer.bias, o)) / reach / mostOfMap),
  );
  const sums = rows.map((row, output) => {
    const scale = at(scales, output);
    let [shift, sum] = [at(layer.bias, output), 0];
    for (const [k, q] of roundedRow(row, scale, directions).entries()) {
      values[indexOf(output, k)] = q;
      shift += (at(row, k) - q * scale) * at(means, (isDense ? k : indexOf(output, k)) % means.length);
      sum += Math.abs(q);
    }
    bias[output] = shortened(shift, 12);
    return sum + Math.abs(at(bias, output)) / reach / scale;
  });
  const activation: Activation =
    typeof layer.activation === 'string' ? layer.activation : layer.activation.map((slope) => shortened(slope, 12));
  return [{ ...layer, filters: { values, scales }, bias, activation } as IntegerLayer, Math.max(...sums)];
}

/** An output's weights as integers, the nearest ones or, along directions, with errors that cancel out. */
function roundedRow(row: Float32Array, scale: number, directions: readonly Int8Array[]): Int16Array {
  const [values, errors] = [new Int16Array(row.length), new Float64Array(row.length)];
  const norms = directions.map((numbers) => numbers.reduce((sum, number) => sum + number ** 2, 0));
  // They are a sample: a quarter of what it tells is taken to vary evenly.
  const rest = norms.reduce((sum, norm) => sum + norm, 0) / row.length / 4 || 1;
  const sums = new Float64Array(directions[0]?.length ?? 0);
  for (let pass = 0; pass < (directions.length > 0 ? 3 : 1); pass++) {
    for (const [k, weight] of row.entries()) {
      const [numbers = new Int8Array(), norm = 0] = [directions[k], norms[k]];
      let pull = -at(errors, k) * norm;
      for (let i = 0; i < sums.length; i++) pull += at(sums, i) * at(numbers, i);
      const wanted = (weight - pull / (norm + rest)) / scale;
      const q = Math.max(-mostOfWeight, Math.min(mostOfWeight, Math.round(wanted)));
      const change = q * scale - weight - at(errors, k);
      for (let i = 0; i < sums.length; i++) sums[i] = at(sums, i) + change * at(numbers, i);
      [values[k], errors[k]] = [q, at(errors, k) + change];
    }
  }
  return values;
}

/**
 * The step of each row of weights: the largest grid on which all of them lie, else between what fits the row and what
 * fits the mean row, which has the least error for the bytes.
 */
function scalesOf(rows: readonly Float32Array[], most: number): Float32Array {
  const peaks = rows.map((row) => row.reduce((peak, weight) => Math.max(peak, Math.abs(weight)), 0));
  const some = peaks.filter((peak) => peak > 0);
  const mean = some.reduce((sum, peak) => sum + peak, 0) / some.length;
  return Float32Array.from(rows, (row, i) => {
    const peak = at(peaks, i);
    if (peak === 0) return 1;
    for (let n = 1; n <= most; n++) if (row.every((weight) => isNearWhole(weight * (n / peak)))) return peak / n;
    return shortened(Math.max(Math.sqrt(peak * mean) / most, peak / mostOfWeight), 8);
  });
}

const isNearWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-3;

/** A float of so many significant bits: its low bytes compress away. */
function shortened(value: number, bits: number): number {
  const words = new Uint32Array(Float32Array.of(value).buffer);
  const dropped = 24 - bits;
  words[0] = ((words[0] ?? 0) + (1 << (dropped - 1))) & -(1 << dropped);
  return new Float32Array(words.buffer)[0] ?? 0;
}
