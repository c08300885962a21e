/** For platform adapters: ports that all platforms share, and building blocks of key stores. */
export { FULL_WIPE_MS } from '@svc/protocol/sync';
export { webClock, webRandom, webTimers } from './platform/platform.ts';
export type { TransportAnswer, TransportRequest } from './platform/transport.ts';
export { createFetchTransport } from './platform/transport.ts';
export {
  type DeviceKeyPair,
  exportPrivateKey,
  generateDeviceKeyPair,
  importDeviceKeyPair,
  openSealedSecret,
  rawPublicKey,
} from './storage/hpke.ts';
export type { ListKeys, SealedListKeys, SealedSecret } from './storage/key-store.ts';
export { openListKeys, storedListKeys } from './storage/list-keys.ts';
export { createMemoryKeyStore, createMemoryPackStore } from './storage/memory-stores.ts';
export type { PackReader } from './storage/pack-store.ts';
export { SDK_VERSION } from './sync/fetch-answer.ts';
