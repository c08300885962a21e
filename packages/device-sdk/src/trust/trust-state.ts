import { concatBytes } from '@noble/hashes/utils.js';
import {
  type AccountMode,
  type ArrivalsPolicy,
  type Attendance,
  type DeviceNames,
  FULL_WIPE_MS,
  type HeadTurnAlternative,
  type ReEntryPolicy,
  type ReEntryScope,
  type WipeReason,
} from '@svc/protocol/sync';
import { sameBytes } from '../platform/bytes.ts';
import type { KeyStore } from '../storage/key-store.ts';

/** List and device of the token, learnt at the first sync and fixed from then on. */
export interface DeviceIdentity {
  readonly listId: string;
  readonly deviceId: string;
  /** The highest list version ever applied, and its state hash (base64url). */
  readonly version: number;
  readonly stateHash: string;
}

export interface ListEpoch {
  readonly epoch: number;
  readonly engineId: string;
  readonly dimension: number;
  /** Minimum cosine of a match. */
  readonly matchThreshold: number;
}

/** That this door and another one let the same person in, and neither knew. */
export interface AdmissionConflict {
  /** As the list's devices know the person. */
  readonly tag: string;
  readonly atMs: number;
  readonly otherAtMs: number;
  /** Name of the other door. */
  readonly door: string;
}

/** The list that this device holds. Times are milliseconds since 1970. */
export interface HeldList {
  /** Identifies the pack and its keys. */
  readonly generation: number;
  /** Digest of the stored pack's index, base64url: prevents an older pack under a newer state. */
  readonly packDigest: string;
  readonly leaseExpiresAtMs: number;
  readonly retentionDeadlineMs: number | null;
  readonly enrollmentClosed: boolean;
  /** Absent from states of older versions: none. */
  readonly headTurnAlternative?: HeadTurnAlternative;
  /** Absent if the service sent none. */
  readonly names?: DeviceNames | undefined;
  /** Absent: `off`. */
  readonly reEntry?: ReEntryPolicy | undefined;
  /** Absent: `device`. */
  readonly reEntryScope?: ReEntryScope | undefined;
  /** Up to where this device knows the list's shared admissions, and whom two doors let in; absent before the first answer. */
  readonly shared?:
    | { readonly cursor: number; readonly origin?: string; readonly conflicts: readonly AdmissionConflict[] }
    | undefined;
  /** Absent: `staffed`. */
  readonly attendance?: Attendance | undefined;
  /** `test`: results follow from IDs. Absent: `live`. */
  readonly mode?: AccountMode | undefined;
  /** Absent if check-ins are not sent anywhere. The secret that signs them is in the key store. */
  readonly checkIn?: { readonly url: string } | undefined;
  /** Absent: `off`. The secret that signs the counts is in the key store. */
  readonly arrivals?: ArrivalsPolicy | undefined;
  /** Nobody is counted at an earlier time: what the device counted before, and forgot, was told. Absent before it counts. */
  readonly countsFromMs?: number | undefined;
  /** Newest first. */
  readonly epochs: readonly ListEpoch[];
}

export { wipeReasons } from '@svc/protocol/sync';
/** Why the data is or will be deleted. */
export type EraseReason = WipeReason | 'no-sync-30-days';

/** Stored before the first key is deleted, so that a restart completes the wipe. */
export interface WipeIntent {
  readonly reason: EraseReason;
}

export interface Tombstone {
  readonly reason: EraseReason;
  readonly erasedAtMs: number;
}

/** Signing keys that the service announced, signed by a trusted one. Raw public keys, base64url. */
export interface AnnouncedKeys {
  /** The configured keys at that time; if they change, the configuration applies again. */
  readonly configured: readonly string[];
  readonly announced: readonly string[];
}

export interface TrustState {
  readonly format: 1;
  /** SHA-256 of the device token, base64url: another token is another device. */
  readonly tokenHash: string;
  readonly highestMs: number;
  readonly wallLagMs: number;
  /** The server's time at the last authentic sync, including one that ordered a wipe. */
  readonly syncedAtMs: number | null;
  readonly identity: DeviceIdentity | null;
  readonly list: HeldList | null;
  /** Retention deadline of a list that was dropped because its data was bad; the log of admissions is still there. */
  readonly droppedDeadlineMs?: number | null;
  readonly wipe: WipeIntent | null;
  readonly tombstone: Tombstone | null;
  /** The number of the last stored answer; absent before the first. */
  readonly syncCounter?: number;
  /** No shared admission has a higher number yet; absent before the first. */
  readonly reservedSequence?: number;
  /** Absent if only the configured keys are trusted. */
  readonly signing?: AnnouncedKeys;
}

export function newTrustState(tokenHash: string): TrustState {
  return {
    format: 1,
    tokenHash,
    highestMs: 0,
    wallLagMs: 0,
    syncedAtMs: null,
    identity: null,
    list: null,
    wipe: null,
    tombstone: null,
  };
}

const LABEL = new TextEncoder().encode('svc/trust/v1\0');
const MAC_BYTES = 32;

/** HMAC-SHA-256 ‖ JSON in UTF-8. */
export async function sealTrustState(state: TrustState, keyStore: KeyStore): Promise<Uint8Array> {
  const json = new TextEncoder().encode(JSON.stringify(state));
  return concatBytes(await keyStore.mac(concatBytes(LABEL, json)), json);
}

/** The state; null unless this device, with its current keys, wrote it. */
export async function openTrustState(sealed: Uint8Array, keyStore: KeyStore): Promise<TrustState | null> {
  const json = sealed.subarray(MAC_BYTES);
  const mac = await keyStore.mac(concatBytes(LABEL, json));
  if (!sameBytes(mac, sealed.subarray(0, MAC_BYTES))) return null;
  // The MAC is this device's own; only the format can differ, after a downgrade.
  const state: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  return isTrustState(state) ? state : null;
}

function isTrustState(value: unknown): value is TrustState {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 1;
}

/** When all data must be deleted, by the trusted clock: at the list's deadline, and thirty days after a sync. */
function erasures({ list, droppedDeadlineMs = null, syncedAtMs, tombstone }: TrustState) {
  if (tombstone !== null && takesDeviceKey(tombstone.reason)) return [];
  const deadlineMs = list === null ? droppedDeadlineMs : list.retentionDeadlineMs;
  return [
    ...(deadlineMs === null ? [] : [{ reason: 'retention-deadline' as const, atMs: deadlineMs }]),
    ...(syncedAtMs === null ? [] : [{ reason: 'no-sync-30-days' as const, atMs: syncedAtMs + FULL_WIPE_MS }]),
  ];
}

export function dueErasure(state: TrustState, nowMs: number): EraseReason | null {
  return erasures(state).find(({ atMs }) => atMs <= nowMs)?.reason ?? null;
}

/** Trusted time of the next deletion of all data; null if none is to come. */
export function nextErasureAtMs(state: TrustState): number | null {
  const times = erasures(state).map(({ atMs }) => atMs);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * Whether the device's own key pair is deleted too: when the device is removed. A suspended account's device may return
 * to its list.
 */
export function takesDeviceKey(reason: EraseReason): boolean {
  return reason === 'device-revoked' || reason === 'no-sync-30-days';
}
