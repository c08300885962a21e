/** For platform adapters: ports that all platforms share, and building blocks of key stores. */
export { FULL_WIPE_MS } from '@svc/protocol/sync';
export {
  type DeviceKeyPair,
  exportPrivateKey,
  generateDeviceKeyPair,
  importDeviceKeyPair,
  openSealedSecret,
  rawPublicKey,
} from '../crypto/hpke.ts';
export type { ListKeys, SealedListKeys, SealedSecret } from '../ports/key-store.ts';
export type { PackReader } from '../ports/pack-store.ts';
export type { VerifyEd25519 } from '../ports/platform.ts';
export type { TransportAnswer, TransportRequest } from '../ports/transport.ts';
export { SDK_VERSION } from '../sync/fetch-answer.ts';
export { openListKeys, storedListKeys } from '../trust/list-keys.ts';
export { createFetchTransport } from './fetch-transport.ts';
export { createMemoryKeyStore } from './memory-key-store.ts';
export { createMemoryPackStore } from './memory-pack-store.ts';
export { webClock, webRandom, webTimers } from './web-platform.ts';
