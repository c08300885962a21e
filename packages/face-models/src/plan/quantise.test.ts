import type { IntegerFilters, NetworkPlan } from '@svc/core/network';
import { expect, it } from 'vitest';
import { type NetworkCalibration, quantisePlan } from './quantise.ts';

const map = (height: number, channels: number) => ({ height, width: height, channels });

/** A picture, a convolution to eight channels, and one to two numbers. */
function plan(filters: readonly [Float32Array, Float32Array], bias = 0, side = 2): NetworkPlan {
  const window = { stride: 1, border: [0, 0, 0, 0], residual: null, activation: 'none' } as const;
  return {
    ...{ maps: [map(side, 3), map(side, 8), map(1, 2)], input: 0, outputs: [2] },
    layers: [
      {
        kind: 'convolution',
        input: 0,
        output: 1,
        size: [1, 1],
        ...window,
        filters: filters[0],
        bias: new Float32Array(8),
      },
      {
        ...{ kind: 'convolution', input: 1, output: 2, size: [side, side], ...window },
        ...{ filters: filters[1], bias: Float32Array.of(bias, bias) },
      },
    ],
  };
}

const noise = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => Math.sin(i * i + 1));
/** 3 means of the picture, and all 32 numbers of what the second window covers whole: each half its range. */
const means = btoa('\x40'.repeat(3 + 32));
const calibration: NetworkCalibration = { most: [127, 127, 127], mostOfMap: 32_767, ranges: [1, 2, 8], means };

it('takes the exact grid of weights that lie on one, however few bits it needs', () => {
  const onGrid = Float32Array.from({ length: 24 }, (_, i) => ((i % 7) - 3) * 0.3);
  const { layers } = quantisePlan(plan([onGrid, noise(64)]), calibration, [[1, 2]]);
  const { values, scales } = layers[1] && 'filters' in layers[1] ? layers[1].filters : expect.unreachable();
  onGrid.forEach((weight, i) => {
    const output = Math.floor(i / 3);
    expect((values[output * 4 + (i % 3)] ?? 0) * (scales[output] ?? 0)).toBeCloseTo(weight, 6);
  });
});

it('takes from the bias what the rounding of weights adds on average', () => {
  const second = noise(64);
  const { layers } = quantisePlan(plan([noise(24), second], 0.25), calibration, [[1, 2]]);
  const layer = layers[2]?.kind === 'convolution' ? layers[2] : expect.unreachable();
  const { values, scales } = layer.filters as IntegerFilters;
  const before = second.subarray(0, 32).reduce((sum, weight) => sum + weight, 0.25);
  const after = values.subarray(0, 32).reduce((sum, q) => sum + q * (scales[0] ?? 0), layer.bias[0] ?? 0);
  // With numbers that are all as their mean says, 64/127 · 2, nothing is added.
  const mean = (64 / 127) * 2;
  expect((before - 0.25) * mean + 0.25).toBeCloseTo((after - (layer.bias[0] ?? 0)) * mean + (layer.bias[0] ?? 0), 3);
});

it('rounds what the last layer reads so that errors cancel out along its directions', () => {
  const second = noise(64);
  const signs = Int8Array.from({ length: 32 }, (_, i) => (i % 3 === 0 ? 99 : -60));
  const errorOf = (directions: string) => {
    const { layers } = quantisePlan(plan([noise(24), second]), { ...calibration, most: [15], directions }, [[1, 2]]);
    const { values, scales } = layers[2] && 'filters' in layers[2] ? layers[2].filters : expect.unreachable();
    const errors = Array.from(signs, (sign, k) => sign * ((values[k] ?? 0) * (scales[0] ?? 0) - (second[k] ?? 0)));
    return Math.abs(errors.reduce((sum, error) => sum + error, 0));
  };
  expect(errorOf(btoa(String.fromCharCode(...new Uint8Array(signs.buffer))))).toBeLessThan(errorOf('') / 3);
});

it('gives a map fewer bits where the sums of its reader could leave 32', () => {
  const wide = { ...calibration, most: [1023, 1023, 1023], means: btoa('\0'.repeat(3 + 8 * 36)) };
  const { maps, layers } = quantisePlan(plan([noise(24), noise(2 * 8 * 36)], 5, 6), wide, [[1, 2]]);
  const { most } = maps[1]?.integers ?? expect.unreachable();
  const layer = layers[2]?.kind === 'convolution' ? layers[2] : expect.unreachable();
  const { values, scales } = layer.filters;
  for (const o of [0, 1]) {
    const weights = values.subarray(288 * o, 288 * o + 288).reduce((sum, q) => sum + Math.abs(q), 0);
    const bias = Math.abs(layer.bias[o] ?? 0) / ((maps[1]?.integers?.scale ?? 0) * (scales[o] ?? 0));
    expect(weights * 32_767).toBeGreaterThan(2 ** 31);
    expect(weights * most + bias).toBeLessThan(2 ** 31);
  }
});

it('refuses a calibration of another network', () => {
  const network = plan([noise(24), noise(64)]);
  expect(() => quantisePlan(network, { ...calibration, ranges: [1] }, [])).toThrow(RangeError);
  expect(() => quantisePlan(network, { ...calibration, means: '' }, [])).toThrow(RangeError);
});
