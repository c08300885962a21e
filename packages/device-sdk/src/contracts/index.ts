export type { ContractCase, Durable } from './contract.ts';
export { keepListKeys, type PlainListKeys, sealListKeys } from './keep-list-keys.ts';
export { keyStoreContract } from './key-store.ts';
export { packStoreContract } from './pack-store.ts';
export { clockContract, randomContract, type TransportSubject, transportContract } from './platform.ts';
