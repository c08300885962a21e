export type { Aead, SyncAead } from './aead.ts';
export { createNobleAead } from './noble.ts';
export { createWasmAead } from './wasm.ts';
export { createWebCryptoAead } from './web-crypto.ts';
