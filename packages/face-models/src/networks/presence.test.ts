import { describe, expect, it } from 'vitest';
import type { TorchTensor } from '../sources/torch-checkpoint.ts';
import { untrainedPresence } from '../testing/untrained-presence.ts';
import { readSignature } from '../tflite/flat-view.ts';
import { compilePresence, type PresenceBranch } from './presence.ts';

const state = untrainedPresence();
const branches = ['context', 'texture'] as const;
const compiled = (branch: PresenceBranch, of: ReadonlyMap<string, TorchTensor> = state) =>
  compilePresence(of, branch, `presence, ${branch}`);

/** Position of consecutive halves in a file. */
const placeOf = (file: Uint8Array, halves: Iterable<number>): number =>
  Buffer.from(file).indexOf(new Uint8Array(Uint16Array.from(halves).buffer));

describe.each(branches)('the %s branch', (branch) => {
  it('makes one logit of an RGB crop', () => {
    expect(readSignature(compiled(branch))).toEqual({
      inputs: [{ name: 'crop', shape: [1, 80, 80, 3], type: 'float32' }],
      outputs: [{ name: 'logit', shape: [1, 1], type: 'float32' }],
    });
  });

  it('is the same bytes each time, and others for other weights', () => {
    expect(Buffer.compare(compiled(branch), compiled(branch))).toBe(0);
    expect(Buffer.compare(compiled(branch), compiled(branch, untrainedPresence(2)))).not.toBe(0);
  });

  it('keeps every filter and every bias bit for bit, in the order of its kind', () => {
    const file = compiled(branch);
    for (const [name, { shape, halves }] of state) {
      if (!name.startsWith(branch) || halves === null) continue;
      const [outputs = 0, inputs = 1, ...window] = shape;
      const cells = window.reduce((product, n) => product * n, 1);
      const isDepthwise = /(depthwise|pool)\.weight$/.test(name);
      const moved = Array.from(halves, (_, i) => {
        if (isDepthwise) return halves[(i % outputs) * cells + Math.floor(i / outputs)] ?? 0;
        const [o, cell, channel] = [Math.floor(i / (cells * inputs)), Math.floor(i / inputs) % cells, i % inputs];
        return halves[(o * inputs + channel) * cells + cell] ?? 0;
      });
      const expected = shape.length === 4 ? moved : [...halves];
      expect(placeOf(file, expected), name).toBeGreaterThan(0);
    }
  });

  it.each([
    ['a tensor', (name: string) => name.endsWith('blocks.3.depthwise.bias')],
    ['the other branch’s', (name: string) => name.startsWith(branch)],
  ])('is not made of a state without %s', (_, isMissing) => {
    const rest = new Map([...state].filter(([name]) => !isMissing(name)));
    expect(() => compiled(branch, rest)).toThrow('lacks');
  });

  it('is not made of 32-bit floats, nor of tensors that do not fit', () => {
    const name = `${branch}.head.weight`;
    const { shape, values, halves } = state.get(name) ?? expect.unreachable();
    expect(() => compiled(branch, new Map([...state, [name, { shape, values, halves: null }]]))).toThrow('16-bit');
    const narrow = { shape: [192, 32, 1, 1], values, halves };
    expect(() => compiled(branch, new Map([...state, [name, narrow]]))).toThrow(RangeError);
  });
});

it('both branches together are no larger than 1 MB', () => {
  const sizes = branches.map((branch) => compiled(branch).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1_000_000);
});
