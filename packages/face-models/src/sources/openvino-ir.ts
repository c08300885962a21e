import { XMLParser } from 'fast-xml-parser';
import { fromHalf } from '../tflite/weights.ts';

/** A constant of the graph, row-major, in OpenVINO's order of dimensions. */
export interface IrConstant {
  readonly shape: readonly number[];
  readonly values: Float32Array;
  /** The bits, if the file stores 16-bit floats. */
  readonly halves: Uint16Array | null;
}

/** One operation of the graph. */
export interface IrNode {
  readonly id: string;
  readonly name: string;
  /** Name in OpenVINO's operation sets. */
  readonly type: string;
  /** Attributes of its `data` element. */
  readonly data: Readonly<Record<string, string>>;
  /** Nodes whose first output it reads, in port order. */
  readonly inputs: readonly string[];
  /** Shape of its only output; empty without one. */
  readonly shape: readonly number[];
  /** Null for a computed value. */
  readonly constant: IrConstant | null;
}

/** In file order, which is an order of execution. */
export type IrGraph = ReadonlyMap<string, IrNode>;

interface XmlLayer {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Text if it is empty. */
  readonly data?: Readonly<Record<string, string>> | '';
  readonly output?: { readonly port: readonly { readonly dim?: readonly string[] }[] };
}

interface XmlModel {
  readonly net: {
    readonly version: string;
    readonly layers: { readonly layer: readonly XmlLayer[] };
    readonly edges: { readonly edge: readonly Readonly<Record<'from-layer' | 'to-layer' | 'to-port', string>>[] };
  };
}

const lists = new Set(['layer', 'edge', 'port', 'dim']);

/**
 * Reads a model in OpenVINO's intermediate representation, version 11: a graph in XML and its constants in one binary
 * file, both with a pinned digest. A 16-bit constant followed by a Convert to 32 bits, as compression writes it, becomes
 * one constant.
 *
 * @throws Error for another version
 */
export function readOpenVinoIr(xml: string, weights: Uint8Array): IrGraph {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseAttributeValue: false,
    parseTagValue: false,
    // No entities: the format needs none, and declared ones can expand without limit.
    processEntities: false,
    isArray: (tag) => lists.has(tag),
  });
  const { net } = parser.parse(xml) as XmlModel;
  if (net.version !== '11') throw new Error('not a model of OpenVINO IR 11');
  const edges = [...net.edges.edge].sort((a, b) => Number(a['to-port']) - Number(b['to-port']));
  const graph = new Map<string, IrNode>();
  for (const { id, name, type, data, output } of net.layers.layer) {
    const node = {
      ...{ id, name, type, data: data === '' ? {} : (data ?? {}) },
      inputs: edges.filter((edge) => edge['to-layer'] === id).map((edge) => edge['from-layer']),
      shape: (output?.port[0]?.dim ?? []).map(Number),
    };
    graph.set(id, { ...node, constant: constantOf(node, graph, weights) });
  }
  return graph;
}

function constantOf(node: Omit<IrNode, 'constant'>, before: IrGraph, weights: Uint8Array): IrConstant | null {
  const { type, data, shape } = node;
  if (type === 'Convert' && data.destination_type === 'f32') return before.get(node.inputs[0] ?? '')?.constant ?? null;
  if (type !== 'Const') return null;
  const start = Number(data.offset);
  // A copy, so that numbers are aligned (a slice of Node's Buffer is a view).
  const bytes = Uint8Array.from(weights.subarray(start, start + Number(data.size))).buffer;
  if (data.element_type === 'f32') return { shape, values: new Float32Array(bytes), halves: null };
  const halves = new Uint16Array(bytes);
  return { shape, values: Float32Array.from(halves, fromHalf), halves };
}
