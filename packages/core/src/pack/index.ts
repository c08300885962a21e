export { hkdfSha256 } from '../hkdf.ts';
export { applyDelta, type DeltaInput, type EpochDelta, encodeDelta, type PackDelta, parseDelta } from './delta.ts';
export {
  checkInSecretSealInfo,
  type Envelope,
  encodeEnvelope,
  envelopeSigningInput,
  listKeySealInfo,
  type PayloadKind,
  parseEnvelope,
} from './envelope.ts';
export {
  type EpochSection,
  type Pack,
  type PackEpoch,
  type PackInput,
  parsePack,
} from './pack.ts';
export {
  memorySource,
  type PackContent,
  type PackContentEpoch,
  type PackSource,
  packParts,
  readPackContent,
} from './pack-content.ts';
export { type IndexedEpoch, indexPack, type PackIndex, withoutDue } from './pack-index.ts';
export { createPackWriter, encodePack, type PackWriter, type PackWriterEpoch } from './pack-writer.ts';
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
  type RecordContext,
  recordDeleteAfterMs,
  recordSize,
  recordTag,
  type SealRecordInput,
  sealCheckRecord,
  sealRecord,
} from './record.ts';
export { type EpochBuckets, type RunningSha256, type Sha256Factory, stateHashOfBuckets } from './state-hash.ts';
