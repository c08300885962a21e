import { concat, Reader, uint, utf8 } from '../bytes.ts';
import { FaceError } from '../errors.ts';
import type { IntegerLayer, IntegerPlan } from './integer-plan.ts';

/** “SVCN” and the version of the format, another one whenever the layout of a released one changes. */
const magic = Uint8Array.of(83, 86, 67, 78, 1);

const damaged = (why: string) => new FaceError('model-mismatch', `not a network of this release: ${why}`);

/**
 * The file of a network: magic, version, length of the header (u32, big-endian), the header (the plan as JSON), and the
 * arrays that it counts, one after the other: f32 little-endian; weights as bytes above an offset or, where they differ
 * by more, with the sign as the last bit, as a plane of low bytes and one of high bytes: so they compress best.
 */
export function encodeNetwork(plan: IntegerPlan): Uint8Array {
  const arrays: Uint8Array[] = [];
  const header = JSON.stringify(plan, (_key, value: unknown) => {
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
  });
  return concat([magic, uint(header.length, 4), utf8(header), ...arrays]);
}

/**
 * Reads what `encodeNetwork` wrote; `createIntegerNetwork` checks what the numbers say.
 * @throws FaceError `model-mismatch` for anything else
 */
export function decodeNetwork(bytes: Uint8Array): IntegerPlan {
  const reader = new Reader(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), damaged);
  reader.expect(magic);
  const header = reader.take(reader.u32());
  let text = '';
  for (let at = 0; at < header.length; at += 4096) text += String.fromCharCode(...header.subarray(at, at + 4096));
  let plan: unknown;
  try {
    // Arrays are met in the order in which they were written.
    plan = JSON.parse(text, (_key, value: unknown) => (isRecord(value) ? arrayOf(value, reader) : value));
  } catch (error) {
    throw FaceError.is(error) ? error : damaged('no header');
  }
  reader.end();
  if (!isPlan(plan)) throw damaged('no plan');
  return plan;
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 1 << 26;

/** The array that a part of the header stands for, or the part itself. */
function arrayOf(part: Fields, arrays: Reader): unknown {
  const { floats, weights, offset } = part;
  if (isCount(floats)) return new Float32Array(arrays.take(4 * floats).slice().buffer);
  if (!isCount(weights)) return part;
  const low = arrays.take(weights);
  if (isCount(offset)) return new Int16Array(low).map((byte) => byte - offset);
  const high = arrays.take(weights);
  return new Int16Array(low).map((byte, i) => unfolded(byte | ((high[i] ?? 0) << 8)));
}

/** 0, 1, 2, 3 … are 0, −1, 1, −2 … */
const unfolded = (bits: number): number => (bits >> 1) ^ -(bits & 1);

const isFloats = (value: unknown): boolean => value instanceof Float32Array;
const areCounts = (value: unknown, length: number): boolean =>
  Array.isArray(value) && value.length === length && value.every(isCount);

/** Whether a field of a layer, which has the same type in all kinds of layers, has it; other fields are counts. */
const isField: Readonly<Record<string, (value: unknown) => boolean>> = {
  size: (value) => areCounts(value, 2),
  inputs: (value) => areCounts(value, 2),
  border: (value) => areCounts(value, 4),
  residual: (value) => value === null || isCount(value),
  filters: (value) => isRecord(value) && value.values instanceof Int16Array && isFloats(value.scales),
  activation: (value) => value === 'none' || value === 'relu' || isFloats(value),
  bias: isFloats,
  scales: isFloats,
  offsets: isFloats,
};

const map = ['input', 'output'];
const window = [...map, 'size', 'stride'];
const fieldsOf: ReadonlyMap<unknown, readonly string[]> = new Map(
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

const isLayer = (layer: unknown): boolean =>
  isRecord(layer) && fieldsOf.get(layer.kind)?.every((name) => (isField[name] ?? isCount)(layer[name])) === true;

function isMap(map: unknown): boolean {
  if (!isRecord(map) || !areCounts([map.height, map.width, map.channels], 3)) return false;
  const { integers } = map;
  return integers === null || (isRecord(integers) && typeof integers.scale === 'number' && isCount(integers.most));
}

function isPlan(plan: unknown): plan is IntegerPlan {
  const areAll = (list: unknown, is: (value: unknown) => boolean) => Array.isArray(list) && list.every(is);
  if (!isRecord(plan) || !isCount(plan.input) || !areAll(plan.maps, isMap) || !areAll(plan.layers, isLayer))
    return false;
  const areOutputs = areAll(
    plan.outputs,
    (output) => isRecord(output) && isCount(output.map) && isCount(output.channels),
  );
  return areOutputs && areAll(plan.results, (shape) => areAll(shape, isCount));
}
