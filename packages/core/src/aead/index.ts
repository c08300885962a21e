export type { Aead, SyncAead } from './aead.ts';
export { createWasmAead } from './wasm.ts';
