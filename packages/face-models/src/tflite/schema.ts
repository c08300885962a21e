/**
 * The part of TensorFlow Lite's FlatBuffers schema (`tensorflow/lite/schema/schema.fbs`, version 3) used here. Field
 * numbers are their order in the schema's tables.
 */
export const fileIdentifier = 'TFL3';
export const schemaVersion = 3;

export const modelField = { operatorCodes: 1, subgraphs: 2, buffers: 4 } as const;
export const operatorCodeField = { deprecatedCode: 0, code: 3 } as const;
export const subgraphField = { tensors: 0, inputs: 1, outputs: 2, operators: 3 } as const;
export const tensorField = { shape: 0, type: 1, buffer: 2, name: 3, quantization: 4 } as const;
export const quantizationField = { scale: 2, zeroPoint: 3, axis: 6 } as const;
export const operatorField = { code: 0, inputs: 1, outputs: 2, options: 4 } as const;
export const bufferField = { data: 0 } as const;
export const convolutionField = {
  padding: 0,
  strideWidth: 1,
  strideHeight: 2,
  activation: 3,
  dilationWidth: 4,
  dilationHeight: 5,
} as const;
export const depthwiseField = {
  padding: 0,
  strideWidth: 1,
  strideHeight: 2,
  multiplier: 3,
  activation: 4,
  dilationWidth: 5,
  dilationHeight: 6,
} as const;
export const poolField = { padding: 0, strideWidth: 1, strideHeight: 2, width: 3, height: 4, activation: 5 } as const;
/** Of additions and multiplications. */
export const arithmeticField = { activation: 0 } as const;
export const fullyConnectedField = { activation: 0, weightsFormat: 1 } as const;
export const softmaxField = { beta: 0 } as const;
export const concatenationField = { axis: 0, activation: 1 } as const;
export const resizeField = { alignCorners: 2, halfPixelCenters: 3 } as const;
export const tensorType = { float32: 0, float16: 1, int32: 2, int8: 9 } as const;

export const padding = { same: 0, valid: 1 } as const;
export const activation = { none: 0, relu: 1 } as const;

/** `BuiltinOperator`, `BuiltinOptions` and the operator version that float tensors need. */
export const operators = {
  add: { code: 0, options: 11, version: 1 },
  averagePool2d: { code: 1, options: 5, version: 1 },
  concatenation: { code: 2, options: 10, version: 1 },
  conv2d: { code: 3, options: 1, version: 1 },
  depthwiseConv2d: { code: 4, options: 2, version: 1 },
  dequantizeFloat16: { code: 6, options: 38, version: 3 },
  dequantizeInt8: { code: 6, options: 38, version: 2 },
  dequantizePerChannel: { code: 6, options: 38, version: 5 },
  fullyConnected: { code: 9, options: 8, version: 1 },
  logistic: { code: 14, options: 0, version: 1 },
  maxPool2d: { code: 17, options: 5, version: 1 },
  mul: { code: 18, options: 21, version: 1 },
  relu: { code: 19, options: 0, version: 1 },
  reshape: { code: 22, options: 17, version: 1 },
  resizeBilinear: { code: 23, options: 15, version: 3 },
  softmax: { code: 25, options: 9, version: 1 },
  pad: { code: 34, options: 22, version: 1 },
  prelu: { code: 54, options: 0, version: 1 },
} as const;

export type OperatorName = keyof typeof operators;
