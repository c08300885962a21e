import type { HeadTurnAlternative, WipeReason } from '@svc/protocol/sync';
import { concatBytes, sameBytes } from '../bytes.ts';
import type { KeyStore } from '../ports/key-store.ts';

/** Which list and device the token turned out to be, learnt at the first sync and held ever after. */
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
  /** Cosine at and above which a comparison is a match. */
  readonly matchThreshold: number;
}

/** The list that this device holds. Times are milliseconds since 1970. */
export interface HeldList {
  /** Names the pack and its keys. */
  readonly generation: number;
  /**
   * Digest of the pack's index as it lies in the store, base64url: an older pack can't be slipped in under a newer
   * state.
   */
  readonly packDigest: string;
  readonly leaseExpiresAtMs: number;
  readonly retentionDeadlineMs: number | null;
  readonly enrollmentClosed: boolean;
  /** Left out of a state that was written before there was any: none. */
  readonly headTurnAlternative?: HeadTurnAlternative;
  /** Newest first. */
  readonly epochs: readonly ListEpoch[];
}

/** Why the data is gone, or goes. */
export type EraseReason = WipeReason | 'no-sync-30-days';

/** Noted before the first key is deleted, so that a restart finishes what was begun. */
export interface WipeIntent {
  readonly reason: EraseReason;
}

export interface Tombstone {
  readonly reason: EraseReason;
  readonly erasedAtMs: number;
}

/** The signing keys that the service has told of, under one that was trusted. Raw public halves, base64url. */
export interface AnnouncedKeys {
  /** Those that the configuration had at that time: with others it is obeyed again. */
  readonly configured: readonly string[];
  readonly announced: readonly string[];
}

/** All that the device believes between two runs. */
export interface TrustState {
  readonly format: 1;
  /** SHA-256 of the device token, base64url: another token is another device. */
  readonly tokenHash: string;
  readonly highestMs: number;
  readonly wallLagMs: number;
  /** The server's time at the last authentic sync, one that ordered a wipe included. */
  readonly syncedAtMs: number | null;
  readonly identity: DeviceIdentity | null;
  readonly list: HeldList | null;
  readonly wipe: WipeIntent | null;
  readonly tombstone: Tombstone | null;
  /** The number of the last answer that was kept; left out before the first. */
  readonly syncCounter?: number;
  /** Left out where the configured keys are all there is. */
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

/** The state, or null when it was not written by this device as it is now. */
export async function openTrustState(sealed: Uint8Array, keyStore: KeyStore): Promise<TrustState | null> {
  const json = sealed.subarray(MAC_BYTES);
  const mac = await keyStore.mac(concatBytes(LABEL, json));
  if (!sameBytes(mac, sealed.subarray(0, MAC_BYTES))) return null;
  // Only this device can have written it; the format alone can differ, after an update went back.
  const state: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  return isTrustState(state) ? state : null;
}

function isTrustState(value: unknown): value is TrustState {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 1;
}
