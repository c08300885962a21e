import { ok } from 'node:assert/strict';
import { type CoreKind, type FaceCore, loadCore } from '@svc/core';
import { createWasmAead } from '@svc/core/aead';
import { createNetwork, type MapShape, type NetworkLayer } from '@svc/core/network';
import { pseudoRandomFloats } from '../inputs/random.ts';
import type { BenchCase, Ratio, SuiteFactory } from '../suite.ts';

/** Work for a core; answers its result, as floats or bytes. */
type Work = (core: FaceCore) => () => Float32Array | Uint8Array;

const map = (height: number, width: number, channels: number): MapShape => ({ height, width, channels });

/** A network of one layer. */
const network =
  (from: MapShape, to: MapShape, layer: NetworkLayer): Work =>
  (core) => {
    const made = createNetwork(core, { maps: [from, to], input: 0, outputs: [1], layers: [layer] });
    if (made === null) throw new Error('not computed by the kernels');
    const input = pseudoRandomFloats(made.inputLength, 3);
    const out = new Float32Array(made.outputLengths[0] ?? 0);
    return () => {
      made.run(input, [out]);
      return out;
    };
  };

function convolution(from: MapShape, to: MapShape, side: number, stride: number): Work {
  const border = (side - 1) / 2;
  return network(from, to, {
    kind: 'convolution',
    input: 0,
    output: 1,
    size: [side, side],
    stride,
    border: [border, border, border, border],
    filters: pseudoRandomFloats(side * side * from.channels * to.channels, 1),
    bias: pseudoRandomFloats(to.channels, 2),
    residual: null,
    activation: 'relu',
  });
}

const depthwise = (shape: MapShape): Work =>
  network(shape, shape, {
    kind: 'depthwise',
    input: 0,
    output: 1,
    size: [3, 3],
    stride: 1,
    border: [1, 1, 1, 1],
    filters: pseudoRandomFloats(9 * shape.channels, 1),
    bias: pseudoRandomFloats(shape.channels, 2),
    activation: new Float32Array(shape.channels).fill(0.25),
  });

/** A frame of noise, as a square of 128 pixels, straight or turned. */
const warp =
  (turn: number): Work =>
  (core) => {
    const [width, height] = [640, 480];
    const data = new Uint8Array(width * height * 4);
    for (let i = 0; i < data.length; i++) data[i] = Math.imul(i, 2_654_435_761) >>> 24;
    const image = core.image({ data, width, height, channels: 4 });
    const [cos, sin] = [3 * Math.cos(turn), 3 * Math.sin(turn)];
    const out = new Float32Array(128 * 128 * 3);
    const transform = { a: cos, b: -sin, c: 200, d: sin, e: cos, f: 40 };
    return () => image.warpToFloat(transform, 128, 128, { out });
  };

/** A record of 320 bytes. */
const seal: Work = (core) => {
  const aead = createWasmAead(core);
  const [key, nonce] = [new Uint8Array(32).fill(3), new Uint8Array(12).fill(7)];
  const plaintext = Uint8Array.from({ length: 320 }, (_, i) => i);
  return () => aead.sealSync(key, nonce, plaintext, new Uint8Array(64));
};

const works: readonly (readonly [label: string, work: Work])[] = [
  ['convolution 3×3, 38×38, 32 to 32 channels', convolution(map(38, 38, 32), map(38, 38, 32), 3, 1)],
  ['convolution 3×3 every second pixel, 80×80, 16 to 32', convolution(map(80, 80, 16), map(40, 40, 32), 3, 2)],
  ['convolution 1×1, 40×40, 64 to 64', convolution(map(40, 40, 64), map(40, 40, 64), 1, 1)],
  ['depthwise 3×3, 40×40, 64 channels', depthwise(map(40, 40, 64))],
  ['a frame to 128 px', warp(0)],
  ['a frame to 128 px, turned', warp(0.2)],
  ['sealing 320 bytes', seal],
];

const kinds: readonly CoreKind[] = ['simd', 'scalar'];
const caseName = (kind: CoreKind, label: string): string => `${kind === 'simd' ? 'with SIMD' : 'without'}: ${label}`;

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array | Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

/** The core with WebAssembly SIMD beside the one without. */
export const createSuite: SuiteFactory = async () => {
  const cases: BenchCase[] = [];
  for (const [label, work] of works) {
    const runs = new Map<CoreKind, ReturnType<Work>>();
    for (const kind of kinds) runs.set(kind, work(await loadCore({ kind })));
    const results = () => kinds.map((kind) => bytesOf(runs.get(kind)?.() ?? new Uint8Array()));
    const check = () => {
      const [expected, actual] = results();
      ok(
        expected?.some((byte) => byte !== 0),
        'there is a result',
      );
      ok(actual !== undefined && Buffer.compare(expected ?? actual, actual) === 0, 'the same bits');
    };
    for (const kind of kinds) cases.push({ name: caseName(kind, label), run: () => runs.get(kind)?.(), check });
  }
  return {
    title: 'The core without SIMD',
    about:
      'The same work by the core’s two builds: with WebAssembly SIMD, and without it for engines that have none (docs/core.md). Both results are compared bit for bit first. A ratio of 4 is what four lanes promise.',
    cases,
    ratios: works.map(
      ([label]): Ratio => ({ name: label, fast: caseName('simd', label), slow: caseName('scalar', label) }),
    ),
  };
};
