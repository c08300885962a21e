import type { TorchTensor } from '@svc/face-models/node';
import { at, convolve, mapped, type Planes, planesOf, pooled, sum, type Weights } from './planes.ts';

/**
 * MiniFASNet's forward pass as in upstream's `MiniFASNet.py`, with 64-bit floats and plain loops: layer by layer,
 * nothing folded, NCHW, BGR. A slow reference for the compiled model.
 *
 * @param rgb `[80·80·3]`, row-major, RGB 0..255
 * @returns softmax over 3 classes
 */
export function miniFasNetReference(state: ReadonlyMap<string, TorchTensor>, rgb: Float32Array): number[] {
  // A single array type keeps the loops fast.
  const tensor = (name: string): Weights => {
    const found = state.get(`module.${name}`);
    if (found === undefined) throw new Error(`no ${name}`);
    return { shape: found.shape, values: Float64Array.from(found.values) };
  };
  const has = (name: string): boolean => state.has(`module.${name}.weight`);

  const batchNorm = (x: Planes, name: string): Planes => {
    const [weight, bias] = [tensor(`${name}.weight`).values, tensor(`${name}.bias`).values];
    const [mean, variance] = [tensor(`${name}.running_mean`).values, tensor(`${name}.running_var`).values];
    return mapped(x, (v, c) => ((v - at(mean, c)) / Math.sqrt(at(variance, c) + 1e-5)) * at(weight, c) + at(bias, c));
  };
  const convolutionBlock = (x: Planes, name: string, stride = 1, padding = 0): Planes => {
    const y = batchNorm(convolve(x, tensor(`${name}.conv.weight`), stride, padding), `${name}.bn`);
    if (!has(`${name}.prelu`)) return y;
    const slopes = tensor(`${name}.prelu.weight`).values;
    return mapped(y, (v, c) => (v >= 0 ? v : v * at(slopes, c)));
  };
  const depthWise = (x: Planes, name: string, stride: number): Planes => {
    const widened = convolutionBlock(x, `${name}.conv`);
    return convolutionBlock(convolutionBlock(widened, `${name}.conv_dw`, stride, 1), `${name}.project`);
  };
  const excite = (x: Planes, name: string): Planes => {
    const hidden = mapped(batchNorm(convolve(pooled(x), tensor(`${name}.fc1.weight`), 1, 0), `${name}.bn1`), (v) =>
      Math.max(v, 0),
    );
    const logits = batchNorm(convolve(hidden, tensor(`${name}.fc2.weight`), 1, 0), `${name}.bn2`).values;
    return mapped(x, (v, c) => v / (1 + Math.exp(-at(logits, c))));
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

  let x = planesOf(rgb, 80);
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
