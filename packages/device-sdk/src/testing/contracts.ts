export type { ContractCase, Durable } from './contract.ts';
export { keepListKeys, type PlainListKeys, sealListKeys } from './contract.ts';
export { keyStoreContract } from './key-store-contract.ts';
export { packStoreContract } from './pack-store-contract.ts';
export { clockContract, randomContract, type TransportSubject, transportContract } from './platform-contract.ts';
