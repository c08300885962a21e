export type { Aead, SyncAead } from './aead.ts';
export { createNobleAead } from './noble.ts';
export { createWebCryptoAead } from './web-crypto.ts';
