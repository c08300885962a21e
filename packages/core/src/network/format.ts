import { concat, Reader, uint, utf8 } from '../bytes.ts';
import { FaceError } from '../errors.ts';
import type { IntegerLayer, IntegerMap, IntegerPlan } from './integer-plan.ts';

/** «SVCN» and the version of the format. */
const magic = Uint8Array.of(83, 86, 67, 78, 1);

const damaged = (why: string) => new FaceError('model-mismatch', `not a network of this release: ${why}`);

const map = ['input', 'output'];
const window = [...map, 'size', 'stride'];

/** Fields of each kind of layer, in the file's order. */
const fieldsOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    quantise: [...map, 'scales', 'offsets'],
    convolution: [...window, 'border', 'filters', 'bias', 'residual', 'activation'],
    depthwise: [...window, 'border', 'filters', 'bias', 'activation'],
    'max-pool': window,
    'average-pool': window,
    pad: map,
    add: ['inputs', 'output', 'activation'],
    scale: [...map, 'gates', 'residual'],
    logistic: map,
    softmax: [...map, 'classes'],
    upsample: map,
  } satisfies Record<IntegerLayer['kind'], readonly string[]>),
);

/**
 * The file of a network: magic, version, length of the header (u32, big-endian), the header (the plan as JSON), and the
 * arrays that it counts, one after the other: f32 little-endian; weights as bytes above an offset or, where they differ
 * by more, with the sign as the last bit, as a plane of low bytes and one of high bytes: so they compress best.
 */
export function encodeNetwork({ maps, input, outputs, results, layers }: IntegerPlan): Uint8Array {
  const arrays: Uint8Array[] = [];
  const header = JSON.stringify(
    { maps, input, outputs, results, layers: layers.map(inOrder) },
    (_key, value: unknown) => {
      if (value instanceof Float32Array) {
        arrays.push(new Uint8Array(value.slice().buffer));
        return { floats: value.length };
      }
      if (!(value instanceof Int16Array)) return value;
      const least = value.reduce((a, b) => Math.min(a, b), 0);
      const isByte = value.every((weight) => weight - least < 256);
      const folded = value.map((weight) => (isByte ? weight - least : (weight << 1) ^ (weight >> 15)));
      arrays.push(new Uint8Array(folded), ...(isByte ? [] : [new Uint8Array(folded.map((bits) => bits >> 8))]));
      return { weights: value.length, ...(isByte ? { offset: -least } : {}) };
    },
  );
  return concat([magic, uint(header.length, 4), utf8(header), ...arrays]);
}

/**
 * Reads what `encodeNetwork` wrote; `createIntegerNetwork` checks what the numbers say.
 * @throws FaceError `model-mismatch` for anything else
 */
export function decodeNetwork(bytes: Uint8Array): IntegerPlan {
  const reader = new Reader(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), damaged);
  reader.expect(magic);
  const header = parse(reader.take(reader.u32()));
  const { maps, input, outputs, results, layers } = record(header);
  const plan = {
    maps: list(maps).map(mapOf),
    input: count(input),
    outputs: list(outputs).map((output) => {
      const { map, channels } = record(output);
      return { map: count(map), channels: count(channels) };
    }),
    results: list(results).map((shape) => list(shape).map(count)),
    layers: list(layers).map((layer) => layerOf(record(layer), reader)),
  };
  reader.end();
  return plan;
}

/** A layer with its fields in the file's order. */
function inOrder(layer: IntegerLayer): Fields {
  const { values, scales } = 'filters' in layer ? layer.filters : {};
  const fields: Fields = { ...layer, filters: { values, scales } };
  return Object.fromEntries(['kind', ...(fieldsOf.get(layer.kind) ?? [])].map((name) => [name, fields[name]]));
}

type Fields = Readonly<Record<string, unknown>>;

/** The header is ASCII; other bytes are no JSON. */
function parse(bytes: Uint8Array): unknown {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  try {
    return JSON.parse(text);
  } catch {
    throw damaged('no header');
  }
}

function mapOf(map: unknown): IntegerMap {
  const { height, width, channels, integers } = record(map);
  const shape = { height: count(height), width: count(width), channels: count(channels) };
  if (integers === null) return { ...shape, integers };
  const { scale, most } = record(integers);
  if (typeof scale !== 'number') throw damaged('no scale');
  return { ...shape, integers: { scale, most: count(most) } };
}

function layerOf({ kind, ...layer }: Fields, arrays: Reader): IntegerLayer {
  const fields = fieldsOf.get(`${kind}`);
  if (fields === undefined) throw damaged('an unknown layer');
  const read = fields.map((name) => [name, fieldOf(name, layer[name], arrays)]);
  return { kind, ...Object.fromEntries(read) } as IntegerLayer;
}

function fieldOf(name: string, value: unknown, arrays: Reader): unknown {
  switch (name) {
    case 'size':
    case 'inputs':
      return counts(value, 2);
    case 'border':
      return counts(value, 4);
    case 'residual':
      return value === null ? value : count(value);
    case 'filters': {
      const { values, scales } = record(value);
      return { values: weightsOf(record(values), arrays), scales: floatsOf(scales, arrays) };
    }
    case 'activation':
      return value === 'none' || value === 'relu' ? value : floatsOf(value, arrays);
    case 'bias':
    case 'scales':
    case 'offsets':
      return floatsOf(value, arrays);
    default:
      return count(value);
  }
}

/** 0, 1, 2, 3 … are 0, −1, 1, −2 … */
const unfolded = (bits: number): number => (bits >> 1) ^ -(bits & 1);

const floatsOf = (value: unknown, arrays: Reader): Float32Array =>
  new Float32Array(arrays.take(4 * count(record(value).floats)).slice().buffer);

function weightsOf({ weights, offset }: Fields, arrays: Reader): Int16Array {
  const low = arrays.take(count(weights));
  if (offset !== undefined) return new Int16Array(low).map((byte) => byte - count(offset));
  const high = arrays.take(low.length);
  return new Int16Array(low).map((byte, i) => unfolded(byte | ((high[i] ?? 0) << 8)));
}

function record(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) throw damaged('no object');
  return value as Fields;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw damaged('no list');
  return value;
}

function count(value: unknown): number {
  if (!Number.isInteger(value) || !(Number(value) >= 0 && Number(value) <= 1 << 26)) throw damaged('no count');
  return Number(value);
}

function counts(value: unknown, length: number): readonly number[] {
  const numbers = list(value).map(count);
  if (numbers.length !== length) throw damaged('another count of numbers');
  return numbers;
}
