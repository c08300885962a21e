import { describe, expect, it } from 'vitest';
import { compileOpenVino } from '../networks/openvino.ts';
import { layerXml, netXml, smallNetwork } from '../testing/openvino-net.ts';
import { readSignature } from '../tflite/flat-view.ts';
import { readOpenVinoIr } from './openvino-ir.ts';

describe('readOpenVinoIr', () => {
  it('reads nodes in their order, with shapes, attributes and inputs by port', () => {
    const { xml, weights } = smallNetwork();
    const graph = readOpenVinoIr(xml, weights);
    const convolution = [...graph.values()].find(({ type }) => type === 'Convolution');
    expect(convolution).toMatchObject({
      shape: [1, 8, 4, 4],
      data: { strides: '2, 2', pads_begin: '1, 1' },
      constant: null,
    });
    expect(convolution?.inputs.map((id) => graph.get(id)?.type)).toEqual(['Add', 'Convert']);
  });

  it('reads halves as they are, through the Convert behind them', () => {
    const { xml, weights } = smallNetwork();
    const graph = readOpenVinoIr(xml, weights);
    const scale = [...graph.values()].find(({ name }) => name === 'scale');
    expect(scale?.constant).toEqual({
      shape: [1, 3, 1, 1],
      values: Float32Array.of(0.5, 1, 2),
      halves: Uint16Array.of(0x3800, 0x3c00, 0x4000),
    });
  });

  const whole = smallNetwork();
  it.each<[string, string, Uint8Array]>([
    ['no XML', 'not at all', whole.weights],
    ['an empty document', '<?xml version="1.0"?>', whole.weights],
    ['another version', whole.xml.replace('version="11"', 'version="10"'), whole.weights],
    ['weights that are cut off', whole.xml, whole.weights.subarray(0, whole.weights.length - 1)],
    ['a constant of another type', whole.xml.replace('element_type="f16"', 'element_type="i8"'), whole.weights],
    ['a size that does not fit its shape', whole.xml.replace('size="6"', 'size="8"'), whole.weights],
    ['a negative offset', whole.xml.replace('offset="0"', 'offset="-6"'), whole.weights],
    ['no layers', '<net name="x" version="11"><layers></layers><edges></edges></net>', whole.weights],
    ['an operation with two outputs', netXml([layerXml(0, 'Split', '', [[1], [1]])], []), whole.weights],
  ])('refuses %s', (_, xml, weights) => {
    expect(() => readOpenVinoIr(xml, weights)).toThrow(Error);
  });

  it('expands no entity: a document that declares some is read as its letters', () => {
    const bomb = `<!DOCTYPE net [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>${whole.xml.replace('name="scale"', 'name="&b;"')}`;
    let names: string[] = [];
    try {
      names = [...readOpenVinoIr(bomb, whole.weights).values()].map(({ name }) => name);
    } catch {
      return;
    }
    expect(names.some((name) => name.includes('aaaa'))).toBe(false);
  });
});

describe('compileOpenVino', () => {
  it('makes an RGB picture in, the last map out', () => {
    const { xml, weights } = smallNetwork();
    expect(readSignature(compileOpenVino(readOpenVinoIr(xml, weights), 'small'))).toEqual({
      inputs: [{ name: 'chip', shape: [1, 8, 8, 3], type: 'float32' }],
      outputs: [{ name: 'slope', shape: [1, 4, 4, 8], type: 'float32' }],
    });
  });

  it('is the same bytes each time', () => {
    const compiled = () => compileOpenVino(readOpenVinoIr(smallNetwork().xml, smallNetwork().weights), 'small');
    expect(Buffer.compare(compiled(), compiled())).toBe(0);
  });

  it.each<[string, (xml: string) => string]>([
    ['an unknown operation', (xml) => xml.replaceAll('type="PReLU"', 'type="Swish"')],
    ['a dilation', (xml) => xml.replace('dilations="1, 1"', 'dilations="2, 2"')],
    ['strides that differ', (xml) => xml.replace('strides="2, 2"', 'strides="2, 1"')],
    ['no result', (xml) => xml.replace('type="Result"', 'type="Sigmoid"')],
    [
      'a batch of two',
      (xml) => xml.replace('<dim>1</dim><dim>3</dim><dim>8</dim>', '<dim>2</dim><dim>3</dim><dim>8</dim>'),
    ],
  ])('throws on %s', (_, change) => {
    const { xml, weights } = smallNetwork();
    expect(() => compileOpenVino(readOpenVinoIr(change(xml), weights), 'small')).toThrow(Error);
  });
});
