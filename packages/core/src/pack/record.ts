import { type Aead, keyBytes, nonceBytes, tagBytes } from '../aead/aead.ts';
import { assertIdentifier, assertUint, concat, fields, isWellFormed, maxU32, Reader, uint, utf8 } from '../bytes.ts';
import { FaceError } from '../errors.ts';
import { decodeFloat16, encodeFloat16 } from '../float16.ts';
import { hkdfSha256, hmacSha256 } from '../hkdf.ts';

/** The epoch that a record is bound to. */
export interface RecordContext {
  readonly listId: string;
  /** u32 */
  readonly epoch: number;
  readonly engineId: string;
  /** Elements of a template, 1 to 4096. */
  readonly dimension: number;
}

/**
 * HKDF-SHA-256 (RFC 5869) of a list key that its store does not hand out. @returns `length` bytes, wiped by the caller
 */
export type DeriveFromListKey = (salt: Uint8Array, info: Uint8Array, length: number) => Promise<Uint8Array>;

/** A list key: its 32 bytes, or a function that derives from it in its key store. */
export type ListKey = Uint8Array | DeriveFromListKey;

/** Input of {@link sealRecord}. */
export interface SealRecordInput extends RecordContext {
  readonly listKey: ListKey;
  /** 1 to 200 code points, no NUL, no lone surrogate; not normalised. */
  readonly personId: string;
  /** Deletion deadline, milliseconds since 1970; above 0. */
  readonly deleteAfterMs: number;
  /** Float32Array[dimension]; only read. */
  readonly template: Float32Array;
}

/** Input of {@link openRecord}. */
export interface OpenRecordInput extends RecordContext {
  readonly listKey: ListKey;
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

/** Bytes of a sealed record: 64 + 2 per template element. */
export function recordSize(dimension: number): number {
  return headerBytes + dimension * 2 + tagBytes;
}

/** The 16-byte lookup tag of a record, a view. */
export function recordTag(record: Uint8Array): Uint8Array {
  return record.subarray(0, lookupTagBytes);
}

/**
 * The record's deadline in milliseconds since 1970; 0 in a check record.
 * @throws FaceError `pack-invalid` if the record is truncated or the deadline is above 2⁵³ − 1
 */
export function recordDeleteAfterMs(record: Uint8Array): number {
  const reader = new Reader(record, () => new FaceError('pack-invalid', 'not a record'));
  reader.take(lookupTagBytes);
  return reader.u64();
}

/** True for a valid personId: 1 to 200 code points, no NUL, no lone surrogate. */
export function isPersonId(personId: string): boolean {
  // 200 code points are at most 400 code units. Checked first so that a huge string is rejected in constant time.
  if (personId.length === 0 || personId.length > 400) return false;
  return !personId.includes('\0') && isWellFormed(personId) && Array.from(personId).length <= 200;
}

function assertKey(key: ListKey): void {
  if (typeof key !== 'function' && key.length !== keyBytes) {
    throw new FaceError('invalid-argument', 'a list key has 32 bytes');
  }
}

const derive = async (key: ListKey, ...what: Parameters<DeriveFromListKey>): Promise<Uint8Array> =>
  typeof key === 'function' ? key(...what) : hkdfSha256(key, ...what);

/** The platform's CSPRNG, declared here because this package compiles without the DOM library. */
interface Csprng {
  getRandomValues(bytes: Uint8Array): unknown;
}

/**
 * A random 24-byte salt; the record's key and nonce are derived from it.
 * @throws FaceError `runtime-failed` without a CSPRNG
 */
function drawSalt(): Uint8Array {
  const salt = new Uint8Array(saltBytes);
  const { crypto } = globalThis as { readonly crypto?: Csprng };
  if (crypto === undefined) throw new FaceError('runtime-failed', 'this engine has no CSPRNG');
  crypto.getRandomValues(salt);
  return salt;
}

function assertContext(context: RecordContext): void {
  assertIdentifier(context.listId, 'listId');
  assertIdentifier(context.engineId, 'engineId');
  assertUint(context.epoch, maxU32, 'epoch');
  assertUint(context.dimension - 1, maxDimension - 1, 'dimension');
}

/** HKDF-SHA-256 (RFC 5869) of the list key: the 32-byte key of {@link lookupTag}, wiped by the caller. */
export function deriveLookupKey(listKey: Uint8Array): Uint8Array {
  assertKey(listKey);
  return hkdfSha256(listKey, noSalt, fields(lookupLabel), keyBytes);
}

/** {@link lookupTag} from a list key, which may stay in its key store. */
export async function lookupTagOf(listKey: ListKey, personId: string): Promise<Uint8Array> {
  assertKey(listKey);
  const lookupKey = await derive(listKey, noSalt, fields(lookupLabel), keyBytes);
  try {
    return lookupTag(lookupKey, personId);
  } finally {
    lookupKey.fill(0);
  }
}

/**
 * First 16 bytes of HMAC-SHA-256(lookup key, personId in UTF-8). Accepts any string; the tag of an invalid personId
 * matches no record.
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
  listKey: ListKey,
  salt: Uint8Array,
  context: RecordContext,
  personId: string,
): Promise<Uint8Array> {
  const info = fields(recordLabel, utf8(context.listId), uint(context.epoch, 4), utf8(personId));
  return derive(listKey, salt, info, keyBytes + nonceBytes);
}

async function seal(aead: Aead, input: SealRecordInput, salt: Uint8Array): Promise<Uint8Array> {
  const plaintext = encodeFloat16(input.template);
  let derived: Promise<Uint8Array | undefined> | undefined;
  try {
    const { listKey, personId } = input;
    const deleteAfter = uint(input.deleteAfterMs, deleteAfterBytes);
    const deriving = deriveRecordSecrets(listKey, salt, input, personId);
    derived = deriving.catch(() => undefined);
    const tag = await lookupTagOf(listKey, personId);
    const secrets = await deriving;
    const aad = recordAad(input, tag, deleteAfter);
    const sealed = await aead.seal(secrets.subarray(0, keyBytes), secrets.subarray(keyBytes), plaintext, aad);
    return concat([tag, deleteAfter, salt, sealed]);
  } finally {
    plaintext.fill(0);
    // Also when the tag could not be derived.
    (await derived)?.fill(0);
  }
}

function assertSealing(input: Pick<SealRecordInput, keyof RecordContext | 'listKey'>): void {
  assertContext(input);
  assertKey(input.listKey);
}

/**
 * Seals a template to its person (docs/internals/pack-format.md): `recordSize(dimension)` bytes that open only with the
 * list key and the same personId. Draws a random salt.
 * @throws FaceError `invalid-argument` for a value out of range, `runtime-failed` without a CSPRNG
 */
export async function sealRecord(aead: Aead, input: SealRecordInput): Promise<Uint8Array> {
  return sealRecordWithSalt(aead, input, drawSalt());
}

/** {@link sealRecord} with a given 24-byte salt, for test vectors. Not exported by the package. */
export async function sealRecordWithSalt(aead: Aead, input: SealRecordInput, salt: Uint8Array): Promise<Uint8Array> {
  assertSealing(input);
  if (!isPersonId(input.personId)) throw new FaceError('invalid-argument', 'personId is not valid');
  assertUint(input.deleteAfterMs - 1, Number.MAX_SAFE_INTEGER - 1, 'deleteAfterMs');
  const { template, dimension } = input;
  if (template.length !== dimension || !template.every((value) => Math.abs(value) <= maxHalf)) {
    throw new FaceError('invalid-argument', 'the template is not of its engine');
  }
  return seal(aead, input, salt);
}

/**
 * Seals the check record, whose opening proves that a key belongs to a pack: zeros under the empty personId, without a
 * deadline. Seal it once per epoch and keep it, since it is part of the state hash.
 * @throws FaceError `invalid-argument` for a value out of range, `runtime-failed` without a CSPRNG
 */
export async function sealCheckRecord(
  aead: Aead,
  input: Omit<SealRecordInput, 'personId' | 'template' | 'deleteAfterMs'>,
): Promise<Uint8Array> {
  return sealCheckRecordWithSalt(aead, input, drawSalt());
}

/** {@link sealCheckRecord} with a given 24-byte salt. */
export async function sealCheckRecordWithSalt(
  aead: Aead,
  input: Parameters<typeof sealCheckRecord>[1],
  salt: Uint8Array,
): Promise<Uint8Array> {
  assertSealing(input);
  return seal(aead, { ...input, personId: '', deleteAfterMs: 0, template: new Float32Array(input.dimension) }, salt);
}

function openFailed(): FaceError {
  return new FaceError('open-failed', 'the record does not open');
}

async function open(aead: Aead, input: OpenRecordInput): Promise<Float32Array> {
  assertContext(input);
  assertKey(input.listKey);
  const { record } = input;
  if (record.length !== recordSize(input.dimension)) throw openFailed();
  const aad = recordAad(input, recordTag(record), record.subarray(lookupTagBytes, saltStart));
  let secrets: Uint8Array | undefined;
  let plaintext: Uint8Array | undefined;
  try {
    secrets = await deriveRecordSecrets(input.listKey, record.subarray(saltStart, headerBytes), input, input.personId);
    const ciphertext = record.subarray(headerBytes);
    plaintext = await aead.open(secrets.subarray(0, keyBytes), secrets.subarray(keyBytes), ciphertext, aad);
    return decodeFloat16(plaintext);
  } catch {
    throw openFailed();
  } finally {
    secrets?.fill(0);
    plaintext?.fill(0);
  }
}

/**
 * Opens one person's record.
 * @returns Float32Array[dimension], which the caller wipes
 * @throws FaceError `open-failed` for every failure, so that the cause is not revealed
 */
export async function openRecord(aead: Aead, input: OpenRecordInput): Promise<Float32Array> {
  // An invalid personId has no record, and the empty one would open the check record.
  if (!isPersonId(input.personId)) throw openFailed();
  return open(aead, input);
}

/**
 * Checks that a list key belongs to a pack.
 * @throws FaceError `open-failed`
 */
export async function openCheckRecord(aead: Aead, input: Omit<OpenRecordInput, 'personId'>): Promise<void> {
  (await open(aead, { ...input, personId: '' })).fill(0);
}
