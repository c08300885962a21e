/** One layer of OpenVINO's XML. @param outputs shape of each output */
export function layerXml(
  id: number,
  type: string,
  data: string,
  outputs: readonly (readonly number[])[],
  name = `layer${id}`,
): string {
  const ports = outputs.map(
    (shape, i) => `<port id="${i + 2}" precision="FP32">${shape.map((n) => `<dim>${n}</dim>`).join('')}</port>`,
  );
  const output = ports.length === 0 ? '' : `<output>${ports.join('')}</output>`;
  return `<layer id="${id}" name="${name}" type="${type}" version="opset1">${data === '' ? '' : `<data ${data} />`}${output}</layer>`;
}

/** @param edges from, to, input port of the target */
export const netXml = (layers: readonly string[], edges: readonly (readonly [number, number, number])[]): string =>
  `<?xml version="1.0"?><net name="small" version="11"><layers>${layers.join('')}</layers><edges>${edges
    .map(([from, to, port]) => `<edge from-layer="${from}" from-port="2" to-layer="${to}" to-port="${port}" />`)
    .join('')}</edges></net>`;

/** An 8×8 BGR picture with scale and offset, a 3×3 convolution with stride 2, bias and PReLU. */
export function smallNetwork(): { readonly xml: string; readonly weights: Uint8Array } {
  const halves: number[] = [];
  const constant = (bits: readonly number[], shape: readonly number[], id: number, name: string): string[] => {
    const offset = 2 * halves.length;
    halves.push(...bits);
    const data = `element_type="f16" shape="${shape.join(', ')}" offset="${offset}" size="${2 * bits.length}"`;
    return [
      layerXml(id, 'Const', data, [shape], `${name}_compressed`),
      layerXml(id + 1, 'Convert', 'destination_type="f32"', [shape], name),
    ];
  };
  const filters = Array.from({ length: 8 * 27 }, (_, i) => 0x3000 + ((i * 37) % 0x0800));
  const layers = [
    layerXml(0, 'Parameter', 'shape="1,3,8,8" element_type="f32"', [[1, 3, 8, 8]]),
    ...constant([0x3800, 0x3c00, 0x4000], [1, 3, 1, 1], 1, 'scale'),
    layerXml(3, 'Multiply', 'auto_broadcast="numpy"', [[1, 3, 8, 8]]),
    ...constant([0xbc00, 0xb800, 0x3800], [1, 3, 1, 1], 4, 'offset'),
    layerXml(6, 'Add', 'auto_broadcast="numpy"', [[1, 3, 8, 8]]),
    ...constant(filters, [8, 3, 3, 3], 7, 'filters'),
    layerXml(
      9,
      'Convolution',
      'strides="2, 2" dilations="1, 1" pads_begin="1, 1" pads_end="1, 1" auto_pad="explicit"',
      [[1, 8, 4, 4]],
    ),
    ...constant([0, 0x3c00, 0, 0, 0, 0, 0, 0xbc00], [1, 8, 1, 1], 10, 'bias'),
    layerXml(12, 'Add', 'auto_broadcast="numpy"', [[1, 8, 4, 4]]),
    ...constant([0x3400], [1], 13, 'slopes'),
    layerXml(15, 'PReLU', '', [[1, 8, 4, 4]], 'slope'),
    layerXml(16, 'Result', '', []),
  ];
  const edges = [
    [0, 3, 0],
    [1, 2, 0],
    [2, 3, 1],
    [3, 6, 0],
    [4, 5, 0],
    [5, 6, 1],
    [7, 8, 0],
    // Ports out of order: they define the order of the inputs.
    [8, 9, 1],
    [6, 9, 0],
    [10, 11, 0],
    [9, 12, 0],
    [11, 12, 1],
    [13, 14, 0],
    [12, 15, 0],
    [14, 15, 1],
    [15, 16, 0],
  ] as const;
  return { xml: netXml(layers, edges), weights: new Uint8Array(Uint16Array.from(halves).buffer) };
}
