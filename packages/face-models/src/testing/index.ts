export { GraphBuilder } from '../tflite/graph-builder.ts';
export { floatBundle } from './float-bundle.ts';
export { sharedData, temporaryDirectory } from './folders.ts';
