export { floatBundle } from './float-bundle.ts';
export { sharedData } from './folders.ts';
