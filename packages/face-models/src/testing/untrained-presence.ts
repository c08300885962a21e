import { readTorchCheckpoint, type TorchTensor } from '../sources/torch-checkpoint.ts';
import { type WrittenTensor, writeCheckpoint } from './pickle-writer.ts';

/** [output channels, expansion] of each block. */
const blocks = [
  [32, 2],
  [32, 2],
  [48, 3],
  [48, 3],
  [48, 3],
  [96, 3],
  [96, 3],
  [96, 3],
] as const;

/**
 * An untrained «presence» checkpoint in PyTorch's format: the right tensors with random numbers, deterministic by seed.
 */
export function untrainedPresenceCheckpoint(seed = 1): Uint8Array {
  const random = mulberry32(seed);
  const tensor = (name: string, shape: readonly number[], bound: number): WrittenTensor => ({
    name,
    shape,
    strides: shape.map((_, d) => shape.slice(d + 1).reduce((product, n) => product * n, 1)),
    storage: Uint16Array.from({ length: shape.reduce((product, n) => product * n, 1) }, () =>
      toHalf((2 * random() - 1) * bound),
    ),
  });
  /** Uniform with the width of He et al. (2015), so that activations neither vanish nor explode. */
  const layer = (name: string, shape: readonly [number, ...number[]]): WrittenTensor[] => {
    const [outputs, ...inner] = shape;
    const inputs = inner.reduce((product, n) => product * n, 1);
    return [tensor(`${name}.weight`, shape, Math.sqrt(6 / inputs)), tensor(`${name}.bias`, [outputs], 0.1)];
  };
  const branch = (name: string): WrittenTensor[] => {
    let channels = 16;
    const inner = blocks.flatMap(([outputs, expansion], i) => {
      const [inputs, wide] = [channels, channels * expansion];
      channels = outputs;
      const block = `${name}.blocks.${i}`;
      return [
        ...layer(`${block}.expand`, [wide, inputs, 1, 1]),
        ...layer(`${block}.depthwise`, [wide, 1, 3, 3]),
        ...layer(`${block}.project`, [outputs, wide, 1, 1]),
      ];
    });
    const outer = [
      ...layer(`${name}.head`, [192, 96, 1, 1]),
      ...layer(`${name}.pool`, [192, 1, 5, 5]),
      ...layer(`${name}.hidden`, [64, 192, 1, 1]),
      ...layer(`${name}.dense`, [1, 64]),
    ];
    return [...layer(`${name}.stem`, [16, 3, 3, 3]), ...inner, ...outer];
  };
  return writeCheckpoint([...branch('context'), ...branch('texture')]);
}

/** The same checkpoint, parsed. */
export const untrainedPresence = (seed?: number): ReadonlyMap<string, TorchTensor> =>
  readTorchCheckpoint(untrainedPresenceCheckpoint(seed));

/** Bits of a number as binary16, rounded towards 0; subnormal numbers become 0. */
function toHalf(value: number): number {
  const bits = new DataView(Float32Array.of(value).buffer).getUint32(0, true);
  const exponent = ((bits >>> 23) & 0xff) - 112;
  const sign = (bits >>> 16) & 0x8000;
  return exponent < 1 ? sign : sign | (exponent << 10) | ((bits >>> 13) & 0x3ff);
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
