/**
 * The part of TensorFlow Lite's FlatBuffers schema (`tensorflow/lite/schema/schema.fbs`, version 3) that is read and written
 * here. Numbers of fields are their order in the schema's tables.
 */
export const fileIdentifier = 'TFL3';
export const schemaVersion = 3;

export const modelField = { version: 0, operatorCodes: 1, subgraphs: 2, description: 3, buffers: 4 } as const;
export const subgraphField = { tensors: 0, inputs: 1, outputs: 2, operators: 3, name: 4 } as const;
export const tensorField = { shape: 0, type: 1, buffer: 2, name: 3, quantization: 4 } as const;
export const tensorType = { float32: 0, float16: 1, int32: 2, int8: 9 } as const;
