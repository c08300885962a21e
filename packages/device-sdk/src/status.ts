import type { HeadTurnAlternative } from '@svc/protocol/sync';
import type { Protections, Verdict } from './result.ts';
import type { Connection } from './sync/schedule.ts';
import type { SyncResult } from './sync/sync-result.ts';
import { admit } from './trust/admission.ts';
import type { TrustedTime } from './trust/clock-rule.ts';
import type { EraseReason, TrustState } from './trust/trust-state.ts';

/** Why a device can't verify now; the reasons are those of its results. */
export type NotReady = Extract<Verdict, { readonly outcome: 'LeaseExpired' | 'Expired' }>;

/** What a readiness screen shows. Times are milliseconds since 1970. */
export interface DeviceStatus {
  /** True when the next scan leads to an attempt or to NotEnrolled. */
  readonly ready: boolean;
  readonly notReady: NotReady | null;
  readonly listId: string | null;
  readonly deviceId: string | null;
  readonly listVersion: number | null;
  readonly people: number;
  readonly enrollmentClosed: boolean | null;
  /** What people who cannot turn their head do instead, as the list has it; `none` before the first sync. */
  readonly headTurnAlternative: HeadTurnAlternative;
  readonly leaseExpiresAtMs: number | null;
  readonly retentionDeadlineMs: number | null;
  /** The server's time at the last authentic answer. */
  readonly lastSyncAtMs: number | null;
  /** The outcome of the last sync of this run; null before the first. */
  readonly lastSync: SyncResult | null;
  readonly syncing: boolean;
  /** Whether the last sync of this run reached the service; `unknown` before the first. */
  readonly connection: Connection;
  /**
   * When the next sync begins by itself, milliseconds since 1970 by the trusted clock; null while syncing and where
   * `start` was not called.
   */
  readonly nextSyncAtMs: number | null;
  /** Why the data is gone; null while there is data or never was any. */
  readonly erased: EraseReason | null;
  /** The engines whose records this device can verify, the preferred one first. */
  readonly engineIds: readonly string[];
  /** True when no live epoch of the list is of one of them: everybody will be NotEnrolled. */
  readonly engineMismatch: boolean;
  readonly protections: Protections;
}

export function statusOf(o: {
  readonly state: TrustState;
  readonly time: TrustedTime;
  readonly distrusted: boolean;
  readonly people: number;
  readonly engineIds: readonly string[];
  readonly protections: Protections;
  readonly syncing: boolean;
  readonly lastSync: SyncResult | null;
  readonly connection: Connection;
  readonly nextSyncAtMs: number | null;
}): DeviceStatus {
  const { list, identity, syncedAtMs, wipe, tombstone } = o.state;
  const refusal = admit(o.state, o.time, { kind: 'absent' }, o.distrusted);
  const notReady = refusal?.outcome === 'LeaseExpired' || refusal?.outcome === 'Expired' ? refusal : null;
  return {
    ready: notReady === null,
    notReady,
    listId: identity?.listId ?? null,
    deviceId: identity?.deviceId ?? null,
    listVersion: list === null ? null : (identity?.version ?? null),
    people: o.people,
    enrollmentClosed: list?.enrollmentClosed ?? null,
    headTurnAlternative: list?.headTurnAlternative ?? 'none',
    leaseExpiresAtMs: list?.leaseExpiresAtMs ?? null,
    retentionDeadlineMs: list?.retentionDeadlineMs ?? null,
    lastSyncAtMs: syncedAtMs,
    lastSync: o.lastSync,
    syncing: o.syncing,
    connection: o.connection,
    nextSyncAtMs: o.nextSyncAtMs,
    erased: wipe?.reason ?? (list === null ? (tombstone?.reason ?? null) : null),
    engineIds: o.engineIds,
    engineMismatch: list !== null && !list.epochs.some(({ engineId }) => o.engineIds.includes(engineId)),
    protections: o.protections,
  };
}
