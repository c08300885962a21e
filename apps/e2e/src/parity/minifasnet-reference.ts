import type { TorchTensor } from '@svc/face-models/node';

/** A picture or feature map in PyTorch's order, channel by channel. */
interface Planes {
  readonly channels: number;
  readonly size: number;
  readonly values: Float64Array;
}

interface Weights {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/**
 * MiniFASNet's forward pass as upstream's `MiniFASNet.py` writes it, in 64-bit floats and plain loops: every layer on its own,
 * nothing folded, NCHW, BGR. Slow and obvious, to check the compiled model against.
 *
 * @param rgb `[80·80·3]`, row-major, RGB 0..255
 * @returns softmax over 3 classes
 */
export function miniFasNetReference(state: ReadonlyMap<string, TorchTensor>, rgb: Float32Array): number[] {
  // One kind of array throughout, which keeps the loops fast.
  const tensor = (name: string): Weights => {
    const found = state.get(`module.${name}`);
    if (found === undefined) throw new Error(`no ${name}`);
    return { shape: found.shape, values: Float64Array.from(found.values) };
  };
  const has = (name: string): boolean => state.has(`module.${name}.weight`);

  const map = (x: Planes, f: (value: number, channel: number) => number): Planes => ({
    ...x,
    values: x.values.map((value, i) => f(value, Math.floor(i / (x.size * x.size)))),
  });
  const batchNorm = (x: Planes, name: string): Planes => {
    const [weight, bias] = [tensor(`${name}.weight`).values, tensor(`${name}.bias`).values];
    const [mean, variance] = [tensor(`${name}.running_mean`).values, tensor(`${name}.running_var`).values];
    return map(x, (v, c) => ((v - at(mean, c)) / Math.sqrt(at(variance, c) + 1e-5)) * at(weight, c) + at(bias, c));
  };
  const convolutionBlock = (x: Planes, name: string, stride = 1, padding = 0): Planes => {
    const y = batchNorm(convolve(x, tensor(`${name}.conv.weight`), stride, padding), `${name}.bn`);
    if (!has(`${name}.prelu`)) return y;
    const slopes = tensor(`${name}.prelu.weight`).values;
    return map(y, (v, c) => (v >= 0 ? v : v * at(slopes, c)));
  };
  const depthWise = (x: Planes, name: string, stride: number): Planes => {
    const widened = convolutionBlock(x, `${name}.conv`);
    return convolutionBlock(convolutionBlock(widened, `${name}.conv_dw`, stride, 1), `${name}.project`);
  };
  const excite = (x: Planes, name: string): Planes => {
    const area = x.size * x.size;
    const means = Float64Array.from(
      { length: x.channels },
      (_, c) => sum(x.values.subarray(c * area, (c + 1) * area)) / area,
    );
    const squeezed: Planes = { channels: x.channels, size: 1, values: means };
    const hidden = map(batchNorm(convolve(squeezed, tensor(`${name}.fc1.weight`), 1, 0), `${name}.bn1`), (v) =>
      Math.max(v, 0),
    );
    const logits = batchNorm(convolve(hidden, tensor(`${name}.fc2.weight`), 1, 0), `${name}.bn2`).values;
    return map(x, (v, c) => v / (1 + Math.exp(-at(logits, c))));
  };
  const residuals = (start: Planes, name: string): Planes => {
    let x = start;
    for (let block = 0; has(`${name}.model.${block}.conv.conv`); block++) {
      const path = `${name}.model.${block}`;
      const inner = depthWise(x, path, 1);
      const added = has(`${path}.se_module.fc1`) ? excite(inner, `${path}.se_module`) : inner;
      x = { ...x, values: x.values.map((v, i) => v + at(added.values, i)) };
    }
    return x;
  };
  const linear = (x: Planes, name: string): Planes => {
    const { shape, values } = tensor(`${name}.weight`);
    const [outputs = 0, inputs = 0] = shape;
    const y = Float64Array.from({ length: outputs }, (_, o) =>
      x.values.reduce((total, v, i) => total + v * at(values, o * inputs + i), 0),
    );
    return { channels: outputs, size: 1, values: y };
  };

  let x: Planes = { channels: 3, size: 80, values: new Float64Array(3 * 6400) };
  rgb.forEach((value, i) => {
    x.values[(2 - (i % 3)) * 6400 + Math.floor(i / 3)] = value;
  });
  x = convolutionBlock(x, 'conv1', 2, 1);
  x = convolutionBlock(x, 'conv2_dw', 1, 1);
  x = residuals(depthWise(x, 'conv_23', 2), 'conv_3');
  x = residuals(depthWise(x, 'conv_34', 2), 'conv_4');
  x = residuals(depthWise(x, 'conv_45', 2), 'conv_5');
  x = convolutionBlock(x, 'conv_6_sep');
  x = convolutionBlock(x, 'conv_6_dw');
  x = linear(batchNorm(linear(x, 'linear'), 'bn'), 'prob');
  const powers = Array.from(x.values, (v) => Math.exp(v - Math.max(...x.values)));
  return powers.map((p) => p / sum(powers));
}

/** PyTorch's `Conv2d` without bias; weights are `[out, in, kernel, kernel]`, depthwise `[channel, 1, kernel, kernel]`. */
function convolve(x: Planes, { shape, values }: Weights, stride: number, padding: number): Planes {
  const [outputs = 0, perGroup = 0, kernel = 0] = shape;
  const size = Math.floor((x.size + 2 * padding - kernel) / stride) + 1;
  const y = new Float64Array(outputs * size * size);
  const depthwise = perGroup === 1 && x.channels > 1;
  for (let o = 0; o < outputs; o++) {
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        let total = 0;
        for (let i = 0; i < perGroup; i++) {
          const plane = (depthwise ? o : i) * x.size * x.size;
          for (let ky = 0; ky < kernel; ky++) {
            const sy = row * stride + ky - padding;
            if (sy < 0 || sy >= x.size) continue;
            for (let kx = 0; kx < kernel; kx++) {
              const sx = column * stride + kx - padding;
              if (sx < 0 || sx >= x.size) continue;
              total +=
                at(values, ((o * perGroup + i) * kernel + ky) * kernel + kx) * at(x.values, plane + sy * x.size + sx);
            }
          }
        }
        y[(o * size + row) * size + column] = total;
      }
    }
  }
  return { channels: outputs, size, values: y };
}

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

function at(values: Float64Array, i: number): number {
  const value = values[i];
  if (value === undefined) throw new RangeError('outside');
  return value;
}
