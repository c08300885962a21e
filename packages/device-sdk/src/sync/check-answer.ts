import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Aead } from '@svc/core/aead';
import {
  type Envelope,
  envelopeSigningInput,
  listKeySealInfo,
  openCheckRecord,
  type Pack,
  parseEnvelope,
  parsePack,
} from '@svc/core/pack';
import { LEASE_MS, type SyncManifest, syncManifestSchema, type WipeReason } from '@svc/protocol';
import { fromBase64Url, sameBytes, toBase64Url } from '../bytes.ts';
import type { KeyStore } from '../ports/key-store.ts';
import { type EpochKey, LIST_KEY_BYTES, wipeListKeys } from '../trust/list-keys.ts';
import type { DeviceIdentity } from '../trust/trust-state.ts';
import { SyncRefusal } from './sync-result.ts';

/** What the device asked, and what it already holds. */
export interface SyncExpectation {
  /** Raw Ed25519 public keys by id. */
  readonly signingKeys: ReadonlyMap<string, Uint8Array>;
  /** SHA-256 of the device's public key, base64url. */
  readonly deviceKeyThumbprint: string;
  /** base64url, as sent. */
  readonly nonce: string;
  /** Null before the first sync. */
  readonly identity: DeviceIdentity | null;
  /** The pack held, for an answer that changes nothing; null when there is none. */
  readonly heldPack: Pack | null;
  /** Monotonic milliseconds since the request was sent. */
  readonly elapsedMs: () => number;
}

export interface KeptList {
  readonly kind: 'keep';
  readonly manifest: SyncManifest;
  readonly issuedAtMs: number;
  readonly leaseExpiresAtMs: number;
  readonly retentionDeadlineMs: number | null;
  /** The new pack and its bytes; null when the held one stays. */
  readonly next: { readonly pack: Pack; readonly bytes: Uint8Array } | null;
  /** The caller wipes them. */
  readonly keys: readonly EpochKey[];
}
export interface WipeOrder {
  readonly kind: 'wipe';
  readonly reason: WipeReason;
  readonly listId: string;
  readonly deviceId: string;
  readonly issuedAtMs: number;
}

interface Tools {
  readonly aead: Aead;
  readonly keyStore: Pick<KeyStore, 'openSealed'>;
}

/**
 * Every check of a sync's answer, in its order: signature, own device, list and nonce, version, expiry, payload hash, state hash, and
 * last the check record. Keeps nothing; what it answers may be kept.
 * @throws SyncRefusal
 */
export async function checkSyncAnswer(
  body: Uint8Array,
  expected: SyncExpectation,
  tools: Tools,
): Promise<KeptList | WipeOrder> {
  const envelope = openEnvelope(body, expected);
  const manifest = parseManifest(envelope.manifest);
  checkAddressee(manifest, expected);
  const issuedAtMs = Date.parse(manifest.issuedAt);
  if (manifest.command === 'wipe') {
    // The schema demands a reason of every wipe.
    const { listId, deviceId, reason = 'device-revoked' } = manifest;
    return { kind: 'wipe', reason, listId, deviceId, issuedAtMs };
  }
  checkVersion(manifest, expected.identity);
  const times = checkTimes(manifest, issuedAtMs + expected.elapsedMs());
  if (times.overdue) {
    const { listId, deviceId } = manifest;
    return { kind: 'wipe', reason: 'retention-deadline', listId, deviceId, issuedAtMs };
  }
  const next = checkPayload(envelope, manifest, expected.heldPack);
  const pack = next?.pack ?? expected.heldPack;
  if (pack === null) throw new SyncRefusal('pack-invalid');
  const keys = await openKeys(manifest, pack, tools);
  return { kind: 'keep', manifest, issuedAtMs, ...times, next, keys };
}

function openEnvelope(body: Uint8Array, { signingKeys }: SyncExpectation): Envelope {
  const envelope = orRefuse('envelope-invalid', () => parseEnvelope(body));
  const key = signingKeys.get(envelope.keyId);
  if (key === undefined) throw new SyncRefusal('unknown-signing-key');
  const signed = envelopeSigningInput(envelope.payloadKind, envelope.manifest);
  // RFC 8032 and not ZIP 215: a signature that only some verifiers take is none.
  const valid = orRefuse('signature-invalid', () => ed25519.verify(envelope.signature, signed, key, { zip215: false }));
  if (!valid) throw new SyncRefusal('signature-invalid');
  return envelope;
}

function parseManifest(bytes: Uint8Array): SyncManifest {
  return orRefuse('manifest-invalid', () =>
    syncManifestSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))),
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
  // A lease is never longer than the interface's, whatever a manifest says.
  const leaseExpiresAtMs = Math.min(Date.parse(manifest.leaseExpiresAt), issuedAtMs + LEASE_MS);
  if (leaseExpiresAtMs <= serverNowMs) throw new SyncRefusal('manifest-expired');
  const retentionDeadlineMs = manifest.retentionDeadline === null ? null : Date.parse(manifest.retentionDeadline);
  const overdue = retentionDeadlineMs !== null && retentionDeadlineMs <= serverNowMs;
  return { leaseExpiresAtMs, retentionDeadlineMs, overdue };
}

function checkPayload(
  { payloadKind, payload }: Envelope,
  manifest: SyncManifest,
  heldPack: Pack | null,
): { readonly pack: Pack; readonly bytes: Uint8Array } | null {
  if (payloadKind === 2) throw new SyncRefusal('delta-unsupported');
  if (toBase64Url(sha256(payload)) !== manifest.payloadSha256) throw new SyncRefusal('payload-hash-mismatch');
  if (payloadKind === 0) {
    // Nothing new: the equal version's state hash was compared already.
    if (heldPack === null || heldPack.listVersion !== manifest.toVersion) throw new SyncRefusal('pack-invalid');
    checkEpochs(manifest, heldPack);
    return null;
  }
  const bytes = payload.slice();
  const pack = orRefuse('pack-invalid', () => parsePack(bytes));
  if (pack.listId !== manifest.listId || pack.listVersion !== manifest.toVersion) throw new SyncRefusal('pack-invalid');
  if (pack.recordCount !== manifest.recordCount) throw new SyncRefusal('pack-invalid');
  checkEpochs(manifest, pack);
  const stateHash = fromBase64Url(manifest.stateHash);
  if (stateHash === null || !sameBytes(pack.stateHash(), stateHash)) throw new SyncRefusal('state-hash-mismatch');
  return { pack, bytes };
}

function checkEpochs(manifest: SyncManifest, pack: Pack): void {
  const same =
    manifest.epochs.length === pack.epochs.length &&
    manifest.epochs.every((epoch, i) => {
      const held = pack.epochs[i];
      return held?.epoch === epoch.epoch && held.engineId === epoch.engineId && held.dimension === epoch.dimension;
    });
  if (!same) throw new SyncRefusal('pack-invalid');
}

/** Opens each epoch's list key and tries it on that epoch's check record. */
async function openKeys(manifest: SyncManifest, pack: Pack, { aead, keyStore }: Tools): Promise<readonly EpochKey[]> {
  const keys: EpochKey[] = [];
  try {
    for (const [i, { epoch, engineId, dimension, sealedListKey }] of manifest.epochs.entries()) {
      const { listId, deviceId } = manifest;
      const key = await keyStore
        .openSealed({
          enc: fromBase64Url(sealedListKey.enc) ?? new Uint8Array(),
          ciphertext: fromBase64Url(sealedListKey.ciphertext) ?? new Uint8Array(),
          info: listKeySealInfo({ listId, deviceId, epoch }),
        })
        .catch((cause: unknown) => {
          throw new SyncRefusal('list-key-unopenable', { cause });
        });
      keys.push({ epoch, key });
      if (key.length !== LIST_KEY_BYTES) throw new SyncRefusal('list-key-unopenable');
      const record = pack.epochs[i]?.checkRecord ?? new Uint8Array();
      await openCheckRecord(aead, { listKey: key, record, listId, epoch, engineId, dimension }).catch(
        (cause: unknown) => {
          throw new SyncRefusal('check-record-unopenable', { cause });
        },
      );
    }
    return keys;
  } catch (error) {
    wipeListKeys(keys);
    throw error;
  }
}

function orRefuse<T>(reason: SyncRefusal['reason'], action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw new SyncRefusal(reason, { cause });
  }
}
