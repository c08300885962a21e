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

interface XmlElement {
  readonly [name: string]: unknown;
}

const lists = new Set(['layer', 'edge', 'port', 'dim']);
const fileVersion = '11';

/**
 * Reads a model in OpenVINO's intermediate representation, version 11: a graph in XML and its constants in one binary
 * file. A 16-bit constant followed by a Convert to 32 bits, as compression writes it, becomes one constant.
 *
 * @throws Error for an invalid model, or a node with more than one output
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
  const net = element(element(parser.parse(xml)).net);
  if (net.version !== fileVersion) throw new Error('not a model of OpenVINO IR 11');
  const sources = inputsOf(elements(element(net.edges).edge));
  const graph = new Map<string, IrNode>();
  for (const layer of elements(element(net.layers).layer)) {
    const node = nodeOf(layer, sources);
    graph.set(node.id, { ...node, constant: constantOf(node, graph, weights) });
  }
  return graph;
}

function nodeOf(layer: XmlElement, sources: ReadonlyMap<string, readonly string[]>): Omit<IrNode, 'constant'> {
  const id = text(layer.id);
  const ports = layer.output === undefined ? [] : elements(element(layer.output).port);
  if (ports.length > 1) throw new Error('OpenVINO IR: an operation with several outputs');
  const [port] = ports;
  const shape = port?.dim === undefined ? [] : (port.dim as readonly unknown[]).map((dim) => count(text(dim)));
  const data = layer.data === undefined || layer.data === '' ? {} : element(layer.data);
  const attributes = Object.fromEntries(
    Object.entries(data).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
  return { id, name: text(layer.name), type: text(layer.type), data: attributes, inputs: sources.get(id) ?? [], shape };
}

/** The nodes that each node's ports read, by increasing port number. */
function inputsOf(edges: readonly XmlElement[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, { readonly port: number; readonly from: string }[]>();
  for (const edge of edges) {
    const to = text(edge['to-layer']);
    const into = found.get(to) ?? [];
    into.push({ port: count(text(edge['to-port'])), from: text(edge['from-layer']) });
    found.set(to, into);
  }
  return new Map([...found].map(([to, into]) => [to, into.sort((a, b) => a.port - b.port).map(({ from }) => from)]));
}

function constantOf(node: Omit<IrNode, 'constant'>, before: IrGraph, weights: Uint8Array): IrConstant | null {
  if (node.type === 'Convert' && node.data.destination_type === 'f32')
    return before.get(node.inputs[0] ?? '')?.constant ?? null;
  if (node.type !== 'Const') return null;
  const { element_type: type, offset, size } = node.data;
  const width = type === 'f16' ? 2 : type === 'f32' ? 4 : 0;
  const length = node.shape.reduce((product, n) => product * n, 1);
  const start = count(offset);
  if (width === 0 || count(size) !== length * width || start + length * width > weights.length) {
    throw new Error('OpenVINO IR: a constant of another type or size, or beyond the weights');
  }
  const view = new DataView(weights.buffer, weights.byteOffset + start, length * width);
  if (width === 4) {
    return {
      shape: node.shape,
      values: Float32Array.from({ length }, (_, i) => view.getFloat32(4 * i, true)),
      halves: null,
    };
  }
  const halves = Uint16Array.from({ length }, (_, i) => view.getUint16(2 * i, true));
  return { shape: node.shape, values: Float32Array.from(halves, fromHalf), halves };
}

function element(value: unknown): XmlElement {
  if (typeof value !== 'object' || value === null) throw new Error('OpenVINO IR: an element is missing');
  return value as XmlElement;
}

const elements = (value: unknown): readonly XmlElement[] => {
  if (!Array.isArray(value)) throw new Error('OpenVINO IR: a list is missing');
  return value.map(element);
};

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error('OpenVINO IR: a text is missing');
  return value;
}

function count(value: string | undefined): number {
  const number = value === undefined || value === '' ? Number.NaN : Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error('OpenVINO IR: a number is missing');
  return number;
}
