import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { FaceError } from '@svc/core';
import {
  admissionKeySealInfo,
  applyDelta,
  arrivalsSecretSealInfo,
  checkInSecretSealInfo,
  type Envelope,
  envelopeSigningInput,
  indexPack,
  listKeySealInfo,
  memorySource,
  openCheckRecord,
  type PackContent,
  type PackIndex,
  parseDelta,
  parseEnvelope,
  readPackContent,
  type Sha256Factory,
} from '@svc/core/pack';
import { type Attendance, LEASE_MS, type SyncManifest, syncManifestSchema, type WipeReason } from '@svc/protocol/sync';
import type { WholePorts } from '../config.ts';
import { fromBase64Url, sameBytes, toBase64Url } from '../platform/bytes.ts';
import type { ListKeys, SealedListKeys, SealedSecret } from '../storage/key-store.ts';
import { ADMISSION_KEY, ARRIVALS_SECRET, openWith } from '../storage/list-keys.ts';
import type { HeldPack } from '../storage/pack-store.ts';
import type { DeviceIdentity } from '../trust/trust-state.ts';
import { LinkFailure, SyncRefusal } from './sync-result.ts';

/** The request, and what the device already holds. */
export interface SyncExpectation {
  /** Raw Ed25519 public keys by id. */
  readonly signingKeys: ReadonlyMap<string, Uint8Array>;
  /** SHA-256 of the device's public key, base64url. */
  readonly deviceKeyThumbprint: string;
  /** base64url, as sent. */
  readonly nonce: string;
  /** Null before the first sync. */
  readonly identity: DeviceIdentity | null;
  /** The pack held, for an answer without payload or with a delta; null if there is none. */
  readonly held: HeldPack | null;
  /** What the device can serve. */
  readonly attendances: readonly Attendance[];
  /** Monotonic milliseconds since the request was sent. */
  readonly elapsedMs: () => number;
  /** Fetches a payload that does not follow; null when the device asked for it inline. */
  readonly fetchPayload: ((url: string, bytes: number) => Promise<Uint8Array>) | null;
}

/** A pack that passed every check except those of the keys. */
export interface NextPack {
  /** Can be read repeatedly; that of a delta while its base pack is held. */
  readonly content: PackContent;
  readonly index: PackIndex;
  /** Generation of the delta's base pack; null for a whole pack. */
  readonly baseGeneration: number | null;
}

export interface KeptList {
  readonly kind: 'keep';
  readonly manifest: SyncManifest;
  /** Id of the signing key. */
  readonly signedBy: string;
  readonly issuedAtMs: number;
  readonly leaseExpiresAtMs: number;
  readonly retentionDeadlineMs: number | null;
  /** The new pack; null if the held one stays. */
  readonly next: NextPack | null;
  /** With the secret that signs check-ins, if they are sent anywhere. The caller wipes them. */
  readonly keys: ListKeys;
}
export interface WipeOrder {
  readonly kind: 'wipe';
  readonly reason: WipeReason;
  readonly listId: string;
  readonly deviceId: string;
  readonly issuedAtMs: number;
}

type Tools = Pick<WholePorts, 'aead' | 'keyStore' | 'sha256'>;

/**
 * Checks a sync answer, in this order: signature, device, list and nonce, version, expiry, base, payload hash, state
 * hash, check record. A payload by link is fetched before its hash is checked. Stores nothing.
 * @throws SyncRefusal; LinkFailure when a link fails
 */
export async function checkSyncAnswer(
  body: Uint8Array,
  expected: SyncExpectation,
  tools: Tools,
): Promise<KeptList | WipeOrder> {
  const envelope = await openEnvelope(body, expected);
  const manifest = await parseManifest(envelope.manifest);
  checkAddressee(manifest, expected);
  const issuedAtMs = Date.parse(manifest.issuedAt);
  if (manifest.command === 'wipe') {
    if (envelope.payloadKind !== 0) throw new SyncRefusal('envelope-invalid');
    // The schema requires a reason for every wipe.
    const { listId, deviceId, reason = 'device-revoked' } = manifest;
    return { kind: 'wipe', reason, listId, deviceId, issuedAtMs };
  }
  checkVersion(manifest, expected.identity);
  const times = checkTimes(manifest, issuedAtMs + expected.elapsedMs());
  const { listId, deviceId, attendance = 'staffed' } = manifest;
  if (times.overdue) return { kind: 'wipe', reason: 'retention-deadline', listId, deviceId, issuedAtMs };
  if (!expected.attendances.includes(attendance)) {
    return { kind: 'wipe', reason: 'unattended-unsupported', listId, deviceId, issuedAtMs };
  }
  const isBased = envelope.payloadKind === 1 || expected.held?.index.listVersion === manifest.fromVersion;
  if (!isBased) throw new SyncRefusal('base-mismatch');
  const next = await checkPayload(
    await withPayload(envelope, manifest, expected),
    manifest,
    expected.held,
    tools.sha256,
  );
  const index = next?.index ?? expected.held?.index;
  if (index === undefined) throw new SyncRefusal('pack-invalid');
  const keys = await openKeys(manifest, index, tools);
  return { kind: 'keep', manifest, signedBy: envelope.keyId, issuedAtMs, ...times, next, keys };
}

/** An envelope with a good signature by a trusted key. @throws SyncRefusal */
export async function openEnvelope(
  body: Uint8Array,
  { signingKeys }: Pick<SyncExpectation, 'signingKeys'>,
): Promise<Envelope> {
  const envelope = await orRefuse('envelope-invalid', () => parseEnvelope(body));
  const key = signingKeys.get(envelope.keyId);
  if (key === undefined) throw new SyncRefusal('unknown-signing-key');
  const signed = envelopeSigningInput(envelope.payloadKind, envelope.manifest);
  // RFC 8032, not ZIP 215: rejects signatures that only some verifiers accept.
  const valid = await orRefuse('signature-invalid', () =>
    ed25519.verify(envelope.signature, signed, key, { zip215: false }),
  );
  if (!valid) throw new SyncRefusal('signature-invalid');
  return envelope;
}

function parseManifest(bytes: Uint8Array): Promise<SyncManifest> {
  return orRefuse('manifest-invalid', () =>
    syncManifestSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))),
  );
}

function checkAddressee(manifest: SyncManifest, expected: SyncExpectation): void {
  const { identity } = expected;
  if (manifest.deviceKeyThumbprint !== expected.deviceKeyThumbprint) throw new SyncRefusal('other-device');
  if (identity !== null && manifest.deviceId !== identity.deviceId) throw new SyncRefusal('other-device');
  if (identity !== null && manifest.listId !== identity.listId) throw new SyncRefusal('other-list');
  if (manifest.nonce !== expected.nonce) throw new SyncRefusal('other-nonce');
}

function checkVersion(manifest: SyncManifest, identity: DeviceIdentity | null): void {
  if (identity === null) return;
  if (manifest.toVersion < identity.version) throw new SyncRefusal('version-rolled-back');
  if (manifest.toVersion === identity.version && manifest.stateHash !== identity.stateHash) {
    throw new SyncRefusal('version-conflict');
  }
}

function checkTimes(manifest: SyncManifest, serverNowMs: number) {
  const issuedAtMs = Date.parse(manifest.issuedAt);
  const leaseExpiresAtMs = Date.parse(manifest.leaseExpiresAt);
  // Limits the lease to the interface's, whatever the manifest says.
  if (leaseExpiresAtMs > issuedAtMs + LEASE_MS) throw new SyncRefusal('manifest-invalid');
  if (leaseExpiresAtMs <= serverNowMs) throw new SyncRefusal('manifest-expired');
  const retentionDeadlineMs = manifest.retentionDeadline === null ? null : Date.parse(manifest.retentionDeadline);
  const overdue = retentionDeadlineMs !== null && retentionDeadlineMs <= serverNowMs;
  return { leaseExpiresAtMs, retentionDeadlineMs, overdue };
}

/** With the payload at the manifest's link, if one belongs to the answer and does not follow it. */
async function withPayload<E extends Envelope>(
  envelope: E,
  { payloadUrl, payloadBytes }: SyncManifest,
  { fetchPayload }: SyncExpectation,
): Promise<Envelope & { readonly isLinked?: boolean }> {
  const isWhole = envelope.payloadKind === 0 || envelope.payload.length > 0;
  if (isWhole || payloadUrl === undefined || payloadBytes === undefined || fetchPayload === null) return envelope;
  return { ...envelope, payload: await fetchPayload(payloadUrl, payloadBytes), isLinked: true };
}

async function checkPayload(
  { payloadKind, payload, isLinked }: Envelope & { readonly isLinked?: boolean },
  manifest: SyncManifest,
  held: HeldPack | null,
  sha256: Sha256Factory = () => nobleSha256.create(),
): Promise<NextPack | null> {
  const payloadHash = sha256();
  payloadHash.update(payload);
  if (toBase64Url(payloadHash.digest()) !== manifest.payloadSha256) {
    throw isLinked ? new LinkFailure('mismatch') : new SyncRefusal('payload-hash-mismatch');
  }
  if (payloadKind === 1) return checkWhole(payload, manifest, sha256);
  if (held === null) throw new SyncRefusal('base-mismatch');
  if (payloadKind === 2) return checkDelta(payload, manifest, held, sha256);
  // No changes: the state hash of the equal version was compared already. The held pack may have lost due records
  // since, but cannot have gained any.
  if (manifest.toVersion !== manifest.fromVersion) throw new SyncRefusal('base-mismatch');
  if (manifest.recordCount !== held.index.recordCount) throw new SyncRefusal('base-mismatch');
  checkEpochs(manifest, held.index);
  return null;
}

async function checkWhole(payload: Uint8Array, manifest: SyncManifest, sha256: Sha256Factory): Promise<NextPack> {
  if (manifest.fromVersion !== 0) throw new SyncRefusal('base-mismatch');
  const content = await orRefuse('pack-invalid', () => readPackContent(memorySource(payload)));
  const index = await orRefuse('pack-invalid', () => indexPack(content, { stateHash: true, sha256 }));
  checkContent(index, manifest);
  return { content, index, baseGeneration: null };
}

async function checkDelta(
  payload: Uint8Array,
  manifest: SyncManifest,
  held: HeldPack,
  sha256: Sha256Factory,
): Promise<NextPack> {
  const delta = await orRefuse('delta-invalid', () => parseDelta(payload));
  if (delta.fromVersion !== manifest.fromVersion) throw new SyncRefusal('base-mismatch');
  if (delta.toVersion !== manifest.toVersion) throw new SyncRefusal('delta-invalid');
  try {
    const content = applyDelta(await readPackContent(held.reader), delta);
    const index = await indexPack(content, { stateHash: true, sha256 });
    checkContent(index, manifest);
    return { content, index, baseGeneration: held.list.generation };
  } catch (cause) {
    // Otherwise the store failed, or the pack was deleted while it was read.
    if (!FaceError.is(cause)) throw cause;
    throw new SyncRefusal('delta-invalid', { cause });
  }
}

function checkContent(index: PackIndex, manifest: SyncManifest): void {
  if (index.listId !== manifest.listId || index.listVersion !== manifest.toVersion) {
    throw new SyncRefusal('pack-invalid');
  }
  if (index.recordCount !== manifest.recordCount) throw new SyncRefusal('pack-invalid');
  checkEpochs(manifest, index);
  const stateHash = fromBase64Url(manifest.stateHash);
  if (stateHash === null || index.stateHash === null || !sameBytes(index.stateHash, stateHash)) {
    throw new SyncRefusal('state-hash-mismatch');
  }
}

function checkEpochs(manifest: SyncManifest, pack: PackIndex): void {
  const same =
    manifest.epochs.length === pack.epochs.length &&
    manifest.epochs.every((epoch, i) => {
      const held = pack.epochs[i];
      return held?.epoch === epoch.epoch && held.engineId === epoch.engineId && held.dimension === epoch.dimension;
    });
  if (!same) throw new SyncRefusal('pack-invalid');
}

/** Opens the list keys and the check-in secret, and tests each key on its epoch's check record. */
async function openKeys(manifest: SyncManifest, pack: PackIndex, tools: Tools): Promise<ListKeys> {
  const sealed = sealedListKeys(manifest);
  const keys = await openedOrNull(sealed, tools);
  if (keys === null) throw await unopenable(sealed, manifest, pack, tools);
  try {
    for (const { epoch } of manifest.epochs) await openCheck(epoch, keys, manifest, pack, tools);
    return keys;
  } catch (error) {
    keys.wipe();
    throw error;
  }
}

/** Null if one of them does not open. Any other error is the store's. */
async function openedOrNull(sealed: SealedListKeys, { keyStore }: Tools): Promise<ListKeys | null> {
  try {
    return await keyStore.openListKeys(sealed);
  } catch (error) {
    if (isOpenFailed(error)) return null;
    throw error;
  }
}

/** Opens one key after another, to tell which does not open. @throws SyncRefusal of a key without its check record */
async function unopenable(
  { epochs, checkInSecret }: SealedListKeys,
  manifest: SyncManifest,
  pack: PackIndex,
  tools: Tools,
): Promise<SyncRefusal> {
  for (const one of epochs) {
    const keys = await openedOrNull({ epochs: [one], checkInSecret: null }, tools);
    if (keys === null) return new SyncRefusal('list-key-unopenable');
    if (one.epoch === ARRIVALS_SECRET || one.epoch === ADMISSION_KEY) keys.wipe();
    else await openCheck(one.epoch, keys, manifest, pack, tools).finally(() => keys.wipe());
  }
  return new SyncRefusal(checkInSecret === null ? 'list-key-unopenable' : 'check-in-secret-unopenable');
}

async function openCheck(
  epoch: number,
  keys: ListKeys,
  { epochs, listId }: SyncManifest,
  pack: PackIndex,
  { aead }: Tools,
): Promise<void> {
  const at = epochs.findIndex((one) => one.epoch === epoch);
  const [told, record = new Uint8Array()] = [epochs[at], pack.epochs[at]?.checkRecord];
  const listKey = keys.keyOf(epoch);
  if (told === undefined || listKey === null) throw new SyncRefusal('check-record-unopenable');
  const { engineId, dimension } = told;
  const context = { record, listId, epoch, engineId, dimension };
  await openWith(listKey, (derive) => openCheckRecord(aead, { listKey: derive, ...context })).catch(
    (cause: unknown) => {
      throw isOpenFailed(cause) ? new SyncRefusal('check-record-unopenable', { cause }) : cause;
    },
  );
}

const isOpenFailed = (error: unknown): boolean => FaceError.is(error) && error.code === 'open-failed';

function sealedListKeys(manifest: SyncManifest): SealedListKeys {
  const { epochs, checkIn, arrivals, sealedAdmissionKey, listId, deviceId } = manifest;
  const keys = epochs.map(({ epoch, sealedListKey }) => ({
    epoch,
    sealed: sealedSecret(sealedListKey, listKeySealInfo({ listId, deviceId, epoch })),
  }));
  if (arrivals?.policy === 'counts') {
    const sealed = sealedSecret(arrivals.sealedSecret, arrivalsSecretSealInfo({ listId, deviceId }));
    keys.push({ epoch: ARRIVALS_SECRET, sealed });
  }
  if (sealedAdmissionKey !== undefined) {
    const sealed = sealedSecret(sealedAdmissionKey, admissionKeySealInfo({ listId, deviceId }));
    keys.push({ epoch: ADMISSION_KEY, sealed });
  }
  return {
    epochs: keys,
    checkInSecret:
      checkIn === undefined ? null : sealedSecret(checkIn.sealedSecret, checkInSecretSealInfo({ listId, deviceId })),
  };
}

function sealedSecret(
  { enc, ciphertext }: { readonly enc: string; readonly ciphertext: string },
  info: Uint8Array,
): SealedSecret {
  return {
    enc: fromBase64Url(enc) ?? new Uint8Array(),
    ciphertext: fromBase64Url(ciphertext) ?? new Uint8Array(),
    info,
  };
}

async function orRefuse<T>(reason: SyncRefusal['reason'], action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw new SyncRefusal(reason, { cause });
  }
}
