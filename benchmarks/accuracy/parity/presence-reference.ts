import { readFileSync } from 'node:fs';
import { type PresenceBranch, readTorchCheckpoint, type TorchTensor } from '@svc/face-models/node';
import { at, convolve, type Planes, sum, type Weights } from './planes.ts';

const path = new URL('../../../packages/face-models/training/weights/presence.pth', import.meta.url);

/** The committed weights of «presence». */
export const presenceWeights = (): ReadonlyMap<string, TorchTensor> => readTorchCheckpoint(readFileSync(path));

/** Stride of each block. */
const strides = [2, 1, 2, 1, 1, 2, 1, 1];

/**
 * One branch of «presence» as its training defines it, with 64-bit floats and plain loops, NCHW, layer by layer. A slow
 * reference for the compiled model.
 *
 * @param rgb `[side·side·3]`, row-major, RGB in −1..1
 * @returns the logit
 */
export function presenceReference(
  state: ReadonlyMap<string, TorchTensor>,
  branch: PresenceBranch,
  rgb: Float32Array,
): number {
  const tensor = (name: string): Weights => {
    const found = state.get(`${branch}.${name}`);
    if (found === undefined) throw new Error(`no ${branch}.${name}`);
    return { shape: found.shape, values: Float64Array.from(found.values) };
  };
  const map = (x: Planes, f: (value: number, channel: number) => number): Planes => ({
    ...x,
    values: x.values.map((value, i) => f(value, Math.floor(i / (x.size * x.size)))),
  });
  const layer = (x: Planes, name: string, stride = 1): Planes => {
    const weight = tensor(`${name}.weight`);
    const bias = tensor(`${name}.bias`).values;
    const isThree = weight.shape[2] === 3;
    // A window of three with stride two over an even number of pixels: the last window exceeds the end by one, the
    // first starts at the beginning.
    const border = !isThree ? 0 : stride === 1 ? 1 : ([0, 1] as const);
    return map(convolve(x, weight, stride, border), (value, channel) => value + at(bias, channel));
  };
  const relu = (x: Planes): Planes => map(x, (value) => Math.max(value, 0));
  const block = (x: Planes, name: string, stride: number): Planes => {
    const widened = relu(layer(x, `${name}.expand`));
    const projected = layer(relu(layer(widened, `${name}.depthwise`, stride)), `${name}.project`);
    if (stride !== 1 || projected.channels !== x.channels) return projected;
    return { ...projected, values: projected.values.map((value, i) => value + at(x.values, i)) };
  };

  const size = Math.sqrt(rgb.length / 3);
  const area = size * size;
  let x: Planes = { channels: 3, size, values: new Float64Array(3 * area) };
  rgb.forEach((value, i) => {
    x.values[(i % 3) * area + Math.floor(i / 3)] = value;
  });
  x = relu(layer(x, 'stem', 2));
  strides.forEach((stride, i) => {
    x = block(x, `blocks.${i}`, stride);
  });
  x = relu(layer(x, 'head'));
  x = relu(layer(layer(x, 'pool'), 'hidden'));
  const [weight, bias] = [tensor('dense.weight').values, tensor('dense.bias').values];
  return sum(Array.from(weight, (w, c) => w * at(x.values, c))) + at(bias, 0);
}
