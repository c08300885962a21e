import { type Aead, keyBytes, nonceBytes, tagBytes } from '../aead/aead.ts';
import { FaceError } from '../errors.ts';
import { decodeFloat16, encodeFloat16 } from '../float16.ts';
import { hkdfSha256, hmacSha256 } from '../hkdf.ts';
import { assertIdentifier, assertUint, concat, fields, isWellFormed, maxU32, Reader, uint, utf8 } from './bytes.ts';

/** What a record is bound to, apart from its person. */
export interface RecordContext {
  readonly listId: string;
  /** u32 */
  readonly epoch: number;
  readonly engineId: string;
  /** Elements of a template, 1 to 4096. */
  readonly dimension: number;
}

export interface SealRecordInput extends RecordContext {
  /** 32 bytes. */
  readonly listKey: Uint8Array;
  /** 1 to 200 code points, no NUL, no lone surrogate; used as given, not normalised. */
  readonly personId: string;
  /** Milliseconds since 1970 after which nobody may keep the record; above 0. */
  readonly deleteAfterMs: number;
  /** Float32Array[dimension]; only read. */
  readonly template: Float32Array;
  /** 24 fresh bytes from the caller's CSPRNG: the nonce is derived from them. */
  readonly salt: Uint8Array;
}

export interface OpenRecordInput extends RecordContext {
  /** 32 bytes. */
  readonly listKey: Uint8Array;
  readonly personId: string;
  readonly record: Uint8Array;
}

export const lookupTagBytes = 16;
const deleteAfterBytes = 8;
const saltBytes = 24;
const saltStart = lookupTagBytes + deleteAfterBytes;
const headerBytes = saltStart + saltBytes;
export const maxDimension = 4096;
const maxHalf = 65_504;

const lookupLabel = utf8('svc/lookup/v1');
const recordLabel = utf8('svc/record/v1');
const noSalt = new Uint8Array();

/** Bytes of a sealed record: 64 + 2 a template element. */
export function recordSize(dimension: number): number {
  return headerBytes + dimension * 2 + tagBytes;
}

/** The 16-byte lookup tag of a record, a view. */
export function recordTag(record: Uint8Array): Uint8Array {
  return record.subarray(0, lookupTagBytes);
}

/**
 * The record's deadline in milliseconds since 1970; 0 in a check record.
 * @throws FaceError `pack-invalid` when the record is cut short or the number is above 2⁵³ − 1
 */
export function recordDeleteAfterMs(record: Uint8Array): number {
  const reader = new Reader(record, () => new FaceError('pack-invalid', 'not a record'));
  reader.take(lookupTagBytes);
  return reader.u64();
}

/** True for what a person may be called: 1 to 200 code points, no NUL, no lone surrogate. */
export function isPersonId(personId: string): boolean {
  // 200 code points take at most 400 code units; measured first so that a huge string costs nothing.
  if (personId.length === 0 || personId.length > 400) return false;
  return !personId.includes('\0') && isWellFormed(personId) && Array.from(personId).length <= 200;
}

function assertKey(key: Uint8Array): void {
  if (key.length !== keyBytes) throw new FaceError('invalid-argument', 'a list key has 32 bytes');
}

function assertContext(context: RecordContext): void {
  assertIdentifier(context.listId, 'listId');
  assertIdentifier(context.engineId, 'engineId');
  assertUint(context.epoch, maxU32, 'epoch');
  assertUint(context.dimension - 1, maxDimension - 1, 'dimension');
}

/** HKDF-SHA-256 (RFC 5869) of the list key: 32 bytes that turn a personId into its lookup tag. Caller wipes. */
export function deriveLookupKey(listKey: Uint8Array): Uint8Array {
  assertKey(listKey);
  return hkdfSha256(listKey, noSalt, fields(lookupLabel), keyBytes);
}

/**
 * First 16 bytes of HMAC-SHA-256(lookup key, personId in UTF-8). Takes any string; one that is no valid personId is the
 * tag of nobody.
 */
export function lookupTag(lookupKey: Uint8Array, personId: string): Uint8Array {
  assertKey(lookupKey);
  return hmacSha256(lookupKey, utf8(personId)).slice(0, lookupTagBytes);
}

function recordAad(context: RecordContext, tag: Uint8Array, deleteAfter: Uint8Array): Uint8Array {
  return fields(recordLabel, utf8(context.listId), uint(context.epoch, 4), tag, utf8(context.engineId), deleteAfter);
}

/** Key and nonce of one record; the caller wipes the 44 bytes. */
function deriveRecordSecrets(
  listKey: Uint8Array,
  salt: Uint8Array,
  context: RecordContext,
  personId: string,
): Uint8Array {
  const info = fields(recordLabel, utf8(context.listId), uint(context.epoch, 4), utf8(personId));
  return hkdfSha256(listKey, salt, info, keyBytes + nonceBytes);
}

async function seal(aead: Aead, input: SealRecordInput): Promise<Uint8Array> {
  const lookupKey = deriveLookupKey(input.listKey);
  const secrets = deriveRecordSecrets(input.listKey, input.salt, input, input.personId);
  const plaintext = encodeFloat16(input.template);
  try {
    const tag = lookupTag(lookupKey, input.personId);
    const deleteAfter = uint(input.deleteAfterMs, deleteAfterBytes);
    const aad = recordAad(input, tag, deleteAfter);
    const salt = Uint8Array.from(input.salt);
    const sealed = await aead.seal(secrets.subarray(0, keyBytes), secrets.subarray(keyBytes), plaintext, aad);
    return concat(tag, deleteAfter, salt, sealed);
  } finally {
    lookupKey.fill(0);
    secrets.fill(0);
    plaintext.fill(0);
  }
}

function assertSealing(input: Pick<SealRecordInput, keyof RecordContext | 'listKey' | 'salt'>): void {
  assertContext(input);
  assertKey(input.listKey);
  if (input.salt.length !== saltBytes) throw new FaceError('invalid-argument', 'a salt has 24 bytes');
}

/**
 * Seals a template to the person it belongs to (docs/pack-format.md): `recordSize(dimension)` bytes, opened again only
 * with the list key and the same personId.
 * @throws FaceError `invalid-argument` for anything out of its range
 */
export async function sealRecord(aead: Aead, input: SealRecordInput): Promise<Uint8Array> {
  assertSealing(input);
  if (!isPersonId(input.personId)) throw new FaceError('invalid-argument', 'personId is not valid');
  assertUint(input.deleteAfterMs - 1, Number.MAX_SAFE_INTEGER - 1, 'deleteAfterMs');
  const { template, dimension } = input;
  if (template.length !== dimension || !template.every((value) => Math.abs(value) <= maxHalf)) {
    throw new FaceError('invalid-argument', 'the template is not of its engine');
  }
  return seal(aead, input);
}

/**
 * Seals the record whose opening proves a key and a pack: zeros under the empty personId, without a deadline. Made once
 * an epoch and kept, since it is part of the state hash.
 * @throws FaceError `invalid-argument` for anything out of its range
 */
export async function sealCheckRecord(
  aead: Aead,
  input: Omit<SealRecordInput, 'personId' | 'template' | 'deleteAfterMs'>,
): Promise<Uint8Array> {
  assertSealing(input);
  return seal(aead, { ...input, personId: '', deleteAfterMs: 0, template: new Float32Array(input.dimension) });
}

function openFailed(): FaceError {
  return new FaceError('open-failed', 'the record does not open');
}

async function open(aead: Aead, input: OpenRecordInput): Promise<Float32Array> {
  assertContext(input);
  assertKey(input.listKey);
  const { record } = input;
  if (record.length !== recordSize(input.dimension)) throw openFailed();
  const secrets = deriveRecordSecrets(input.listKey, record.subarray(saltStart, headerBytes), input, input.personId);
  const aad = recordAad(input, recordTag(record), record.subarray(lookupTagBytes, saltStart));
  let plaintext: Uint8Array | undefined;
  try {
    const ciphertext = record.subarray(headerBytes);
    plaintext = await aead.open(secrets.subarray(0, keyBytes), secrets.subarray(keyBytes), ciphertext, aad);
    return decodeFloat16(plaintext);
  } catch {
    throw openFailed();
  } finally {
    secrets.fill(0);
    plaintext?.fill(0);
  }
}

/**
 * Opens one person's record.
 * @returns Float32Array[dimension], which the caller wipes
 * @throws FaceError `open-failed` for every way in which a record does not open, so that nothing can be learnt from it
 */
export async function openRecord(aead: Aead, input: OpenRecordInput): Promise<Float32Array> {
  // Nobody is enrolled under an invalid personId; the empty one would open the check record.
  if (!isPersonId(input.personId)) throw openFailed();
  return open(aead, input);
}

/**
 * The trial that a new key or pack is good.
 * @throws FaceError `open-failed`
 */
export async function openCheckRecord(aead: Aead, input: Omit<OpenRecordInput, 'personId'>): Promise<void> {
  (await open(aead, { ...input, personId: '' })).fill(0);
}
