import type { IrConstant, IrGraph, IrNode } from '@svc/face-models/node';
import { at, convolve, mapped, type Planes, planesOf, pooled, type Weights } from './planes.ts';

/**
 * The forward pass of an image network in OpenVINO's representation: operation by operation as in the file, with 64-bit
 * floats and plain loops, NCHW, BGR, nothing folded. A slow reference for the compiled model.
 *
 * @param rgb `[side·side·3]`, row-major, RGB 0..255
 * @returns the values of its result
 */
export function openVinoReference(graph: IrGraph, rgb: Float32Array): Float64Array {
  const maps = new Map<string, Planes>();
  const mapOf = (id = ''): Planes => expectDefined(maps.get(id) ?? null, `what computes ${id}`);
  const constantOf = (id = ''): IrConstant | null => graph.get(id)?.constant ?? null;
  for (const node of graph.values()) {
    if (node.constant !== null) continue;
    const [first, second] = node.inputs;
    if (node.type === 'Result') return mapOf(first).values;
    maps.set(
      node.id,
      node.type === 'Parameter' ? planesOf(rgb, node.shape[2] ?? 0) : apply(node, mapOf(first), second),
    );
  }
  throw new Error('no result');

  function apply(node: IrNode, x: Planes, second: string | undefined): Planes {
    const constant = constantOf(second);
    switch (node.type) {
      case 'Convolution':
      case 'GroupConvolution': {
        const { shape, values } = expectDefined(constant, 'filters');
        const square: Weights = {
          // One filter per group: [groups, 1, 1, y, x] equals [groups, 1, y, x].
          shape: node.type === 'Convolution' ? shape : [shape[0] ?? 0, ...shape.slice(2)],
          values: Float64Array.from(values),
        };
        return convolve(x, square, first(node.data.strides), [first(node.data.pads_begin), first(node.data.pads_end)]);
      }
      case 'Add':
        return combined(x, constant, second, (a, b) => a + b);
      case 'Multiply':
        return combined(x, constant, second, (a, b) => a * b);
      case 'PReLU': {
        const slopes = expectDefined(constant, 'slopes').values;
        return mapped(x, (v, c) => (v >= 0 ? v : v * (slopes[slopes.length === 1 ? 0 : c] ?? Number.NaN)));
      }
      case 'Sigmoid':
        return mapped(x, (v) => 1 / (1 + Math.exp(-v)));
      case 'AvgPool':
        return pooled(x);
      default:
        throw new Error(`no ${node.type} here`);
    }
  }

  /** The other operand is a constant with one number per channel, or a map, possibly of one pixel. */
  function combined(
    x: Planes,
    constant: IrConstant | null,
    second: string | undefined,
    f: (a: number, b: number) => number,
  ): Planes {
    if (constant !== null) return mapped(x, (v, c) => f(v, constant.values[c] ?? Number.NaN));
    const y = mapOf(second);
    const area = x.size * x.size;
    return { ...x, values: x.values.map((v, i) => f(v, at(y.values, y.size === x.size ? i : Math.floor(i / area)))) };
  }
}

const first = (pair = ''): number => Number(pair.split(',')[0]);

function expectDefined<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`missing: ${what}`);
  return value;
}
