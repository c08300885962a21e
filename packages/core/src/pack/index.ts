export { hkdfSha256 } from '../hkdf.ts';
export { applyDelta, type DeltaInput, encodeDelta, parseDelta } from './delta.ts';
export {
  admissionKeySealInfo,
  arrivalsSecretSealInfo,
  checkInSecretSealInfo,
  type Envelope,
  encodeEnvelope,
  envelopeSigningInput,
  listKeySealInfo,
  type PayloadKind,
  parseEnvelope,
} from './envelope.ts';
export {
  type Pack,
  type PackInput,
  parsePack,
} from './pack.ts';
export {
  memorySource,
  type PackContent,
  type PackSource,
  packParts,
  readPackContent,
} from './pack-content.ts';
export { indexPack, type PackIndex, withoutDue } from './pack-index.ts';
export { createPackWriter, encodePack } from './pack-writer.ts';
export {
  type DeriveFromListKey,
  deriveLookupKey,
  isPersonId,
  type ListKey,
  lookupTag,
  lookupTagOf,
  type OpenRecordInput,
  openCheckRecord,
  openRecord,
  recordDeleteAfterMs,
  recordSize,
  recordTag,
  type SealRecordInput,
  sealCheckRecord,
  sealRecord,
} from './record.ts';
export { type EpochBuckets, type Sha256Factory, stateHashOfBuckets } from './state-hash.ts';
