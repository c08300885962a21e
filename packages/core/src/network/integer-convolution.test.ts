import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelExports } from '../kernel.ts';
import { instantiateKernel } from '../testing/core-binaries.ts';
import { integerScratch, packIntegerFilters } from './integer-filters.ts';
import type { MapShape } from './plan.ts';

/** A call of the kernel; numbers are drawn from `seed` up to the bounds, which the extremes are as often as not. */
interface Call {
  readonly x: MapShape;
  readonly y: MapShape;
  readonly size: readonly [height: number, width: number];
  readonly stride: number;
  readonly border: readonly [top: number, bottom: number, left: number, right: number];
  readonly most: number;
  readonly weight: number;
  readonly bias: number;
  readonly isFloat: boolean;
  readonly hasSlopes: boolean;
  readonly hasResidual: boolean;
  readonly isRectified: boolean;
  readonly seed: number;
}

let kernels: { readonly simd: KernelExports; readonly scalar: KernelExports };
beforeAll(async () => {
  kernels = { simd: await instantiateKernel('simd'), scalar: await instantiateKernel('scalar') };
});

const lengthOf = ({ height, width, channels }: MapShape): number => height * width * channels;

function drawn(call: Call) {
  let state = call.seed;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const integer = (bound: number): number =>
    random() < 0.5 ? Math.sign(random() - 0.5) * bound : Math.round((2 * random() - 1) * bound);
  const integers = (length: number, bound: number) => Array.from({ length }, () => integer(bound));
  const { channels } = call.y;
  const inner = call.size[0] * call.size[1] * call.x.channels;
  const deviation = call.weight * call.most * Math.sqrt(inner);
  return {
    x: Int16Array.from(integers(lengthOf(call.x), call.most)),
    filters: Int16Array.from(integers(channels * inner, call.weight)),
    bias: Int32Array.from(integers(channels, call.bias)),
    // Some outputs are cut off at their bounds, most are not.
    multipliers: Float32Array.from({ length: channels }, () => (0.2 + random()) * (20_000 / (deviation + call.bias))),
    slopes: Float32Array.from({ length: channels }, () => 2 * random() - 0.5),
    residual: Int16Array.from(integers(lengthOf(call.y), call.most)),
    residualMultiplier: Math.fround(random()),
  };
}

function boundsOf({ isFloat, isRectified, most }: Call): readonly [low: number, most: number] {
  if (isFloat) return [isRectified ? 0 : Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return [isRectified ? 0 : -most, most];
}

/** What a build computes. */
function computed(kind: 'simd' | 'scalar', call: Call): Float32Array | Int16Array {
  const kernel = kernels[kind];
  const { x, y, size, stride, border } = call;
  const values = drawn(call);
  let next = kernel.heapBase();
  const place = (bytes: number): number => {
    next = Math.ceil(next / 16) * 16 + bytes;
    const missing = next - kernel.memory.buffer.byteLength;
    if (missing > 0) kernel.memory.grow(Math.ceil(missing / 65_536));
    return next - bytes;
  };
  const put = (array: Int16Array | Int32Array | Float32Array | Float64Array): number => {
    const address = place(array.byteLength);
    new Uint8Array(kernel.memory.buffer).set(new Uint8Array(array.buffer), address);
    return address;
  };
  const to = place(lengthOf(y) * (call.isFloat ? 4 : 2) + 4);
  const guard = to + lengthOf(y) * (call.isFloat ? 4 : 2);
  new DataView(kernel.memory.buffer).setUint32(guard, 0x5aa5f00d);
  kernel.convolveIntegers(
    ...([put(values.x), x.height, x.width, x.channels, ...size, stride, border[0], border[2]] as const),
    put(packIntegerFilters(kind, values.filters, y.channels, call.most)),
    ...([put(values.bias), put(values.multipliers), call.hasSlopes ? put(values.slopes) : 0] as const),
    ...([call.hasResidual ? put(values.residual) : 0, values.residualMultiplier, ...boundsOf(call)] as const),
    ...([to, y.height, y.width, y.channels, Number(call.isFloat)] as const),
    place(integerScratch(kind, call, x, y)),
  );
  expect(new DataView(kernel.memory.buffer).getUint32(guard)).toBe(0x5aa5f00d);
  const bytes = kernel.memory.buffer.slice(to, guard);
  return call.isFloat ? new Float32Array(bytes) : new Int16Array(bytes);
}

/** The same by the definition. */
function defined(call: Call): number[] {
  const { x, y, size, stride, border } = call;
  const values = drawn(call);
  const [low, most] = boundsOf(call);
  const { fround } = Math;
  return Array.from({ length: lengthOf(y) }, (_, i) => {
    const output = i % y.channels;
    const pixel = (i - output) / y.channels;
    const row = Math.floor(pixel / y.width) * stride - border[0];
    const column = (pixel % y.width) * stride - border[2];
    let sum = values.bias[output] ?? 0;
    for (let k = 0; k < size[0] * size[1] * x.channels; k++) {
      const channel = k % x.channels;
      const tap = (k - channel) / x.channels;
      const [r, c] = [row + Math.floor(tap / size[1]), column + (tap % size[1])];
      const isInside = r >= 0 && r < x.height && c >= 0 && c < x.width;
      const weight = values.filters[(output * size[0] * size[1] + tap) * x.channels + channel] ?? 0;
      if (isInside) sum += weight * (values.x[(r * x.width + c) * x.channels + channel] ?? 0);
    }
    let value = fround(fround(sum) * (values.multipliers[output] ?? 0));
    if (call.hasResidual) value = fround(value + fround((values.residual[i] ?? 0) * values.residualMultiplier));
    const slope = call.hasSlopes ? (values.slopes[output] ?? 0) : 1;
    value = fround(Math.max(value, 0) + fround(slope * Math.min(value, 0)));
    value = Math.min(Math.max(value, low), most);
    if (call.isFloat) return value;
    const rest = value - Math.floor(value);
    return Math.floor(value) + (rest > 0.5 || (rest === 0.5 && Math.abs(Math.floor(value)) % 2 === 1) ? 1 : 0);
  });
}

function expectAsDefined(call: Call): void {
  const expected = defined(call).map((value) => value + 0);
  expect(Array.from(computed('simd', call), (value) => value + 0)).toEqual(expected);
  expect(Array.from(computed('scalar', call), (value) => value + 0)).toEqual(expected);
}

const margins = fc.integer({ min: 0, max: 2 });
const calls = fc
  .record({
    side: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
    size: fc.constantFrom<Call['size'][]>([1, 1], [1, 1], [3, 3], [2, 5], [4, 1]),
    stride: fc.integer({ min: 1, max: 3 }),
    border: fc.tuple(margins, margins, margins, margins),
    fours: fc.integer({ min: 1, max: 6 }),
    eights: fc.integer({ min: 1, max: 3 }),
    most: fc.constantFrom(127, 8191, 32767),
    weight: fc.constantFrom(7, 127, 1023),
    flags: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    seed: fc.nat(),
  })
  .map(({ side, size, stride, border, fours, eights, most, weight, flags, seed }) => {
    const outputs = (n: number, extent: number) => Math.floor((n - extent) / stride) + 1;
    const x = { height: side[0], width: side[1], channels: 4 * fours };
    const height = outputs(x.height + border[0] + border[1], size[0]);
    const width = outputs(x.width + border[2] + border[3], size[1]);
    const [isFloat = false, hasSlopes = false, hasResidual = false, isRectified = false] = flags;
    // Sums up to the last that fit 32 bits.
    const inner = size[0] * size[1] * x.channels;
    const fitting = Math.min(weight, Math.floor((2 ** 31 - 1) / most / inner));
    return {
      ...{ x, y: { height, width, channels: 8 * eights }, size, stride, border, most },
      ...{ weight: fitting, bias: 2 ** 31 - 1 - fitting * most * inner },
      ...{ isFloat, hasSlopes, hasResidual, isRectified, seed },
    };
  })
  .filter(({ y }) => y.height > 0 && y.width > 0);

describe('a convolution of integers', () => {
  it('of any window, border and stride, with sums up to 32 bits', () => {
    fc.assert(fc.property(calls, expectAsDefined), { numRuns: 60 });
  });
});
