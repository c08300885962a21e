import type { CoreKind } from '@svc/core';
import type {
  AccountMode,
  ArrivalsPolicy,
  Attendance,
  DeviceNames,
  HeadTurnAlternative,
  ReEntryPolicy,
  ReEntryScope,
} from '@svc/protocol/sync';
import type { Timers } from './platform/platform.ts';
import type { Connection } from './sync/schedule.ts';
import type { SyncResult } from './sync/sync-result.ts';
import { refusalOf, type Suitability } from './trust/admission.ts';
import type { EraseReason } from './trust/trust-state.ts';
import { type Sharing, sharesAdmissions } from './vault/stored-admissions.ts';
import type { Vault } from './vault/vault.ts';
import type { Protections, Verdict } from './verification/result.ts';

/** Why a device cannot verify now, with the reasons of its results. */
export type NotReady = Extract<Verdict, { readonly outcome: 'LeaseExpired' | 'Expired' }>;

export const tooSlow = { outcome: 'LeaseExpired', reason: 'too-slow' } as const satisfies NotReady;

/** Status for a readiness screen. Times are milliseconds since 1970. */
export interface DeviceStatus {
  /** True if the next scan leads to an attempt or to NotEnrolled. */
  readonly ready: boolean;
  readonly notReady: NotReady | null;
  readonly listId: string | null;
  readonly deviceId: string | null;
  readonly listVersion: number | null;
  readonly people: number;
  readonly enrollmentClosed: boolean | null;
  /** The list's alternative for people who cannot turn their head; `none` before the first sync. */
  readonly headTurnAlternative: HeadTurnAlternative;
  /** Whether staff watch the list's doors; null before the first sync. */
  readonly attendance: Attendance | null;
  /** `test`: of a test account; nobody is verified, and results follow from IDs. `live` before the first sync. */
  readonly mode: AccountMode;
  /** Whether this device can serve an unattended list. */
  readonly unattended: Suitability;
  /** Names of event, list and device, for the screen; null without a list, and from services that send none. */
  readonly names: DeviceNames | null;
  /** What happens to people who come again; `off` before the first sync. */
  readonly reEntry: ReEntryPolicy;
  /** Whether this device counts who comes; `off` before the first sync. */
  readonly arrivals: ArrivalsPolicy;
  readonly sharedAdmissions: {
    /** Whom the device knows to have been let in, by `reEntryScope` of the list; `device` before the first sync. */
    readonly scope: ReEntryScope;
    /** `alone`: the service did not answer the last time, or for ten minutes. `off`: the list shares none. */
    readonly sharing: Sharing;
    /** Admissions that the service has not heard of. */
    readonly unsent: number;
    /** People whom this door and another one let in, when neither knew; the latest last. Times as of the two doors. */
    readonly conflicts: readonly { readonly atMs: number; readonly otherAtMs: number; readonly door: string }[];
  };
  readonly checkIns: {
    /** The list has an address that check-ins are sent to. */
    readonly configured: boolean;
    /** Check-ins that the organiser's server has not accepted yet. */
    readonly queued: number;
    /** By the trusted clock; null before the first delivery since the start. */
    readonly lastDeliveredAtMs: number | null;
  };
  readonly leaseExpiresAtMs: number | null;
  readonly retentionDeadlineMs: number | null;
  /** The server's time at the last authentic answer. */
  readonly lastSyncAtMs: number | null;
  /** The outcome of the last sync since the start; null before the first. */
  readonly lastSync: SyncResult | null;
  readonly syncing: boolean;
  /** Whether the last sync since the start reached the service; `unknown` before the first. */
  readonly connection: Connection;
  /**
   * Time of the next scheduled sync, milliseconds since 1970 by the trusted clock; null while syncing and without
   * `start`.
   */
  readonly nextSyncAtMs: number | null;
  /** Why the data was deleted; null while there is data or never was any. */
  readonly erased: EraseReason | null;
  /** Engines whose records this device can verify, the preferred one first. */
  readonly engineIds: readonly string[];
  /** True if no live epoch of the list is of these engines: every scan gives NotEnrolled. */
  readonly engineMismatch: boolean;
  /**
   * Frames a second that an attempt can look at on this device, to one decimal: measured on a drawn face when networks
   * were loaded, and again while it is too low. Null before, and if it could not be measured.
   */
  readonly framesPerSecond: number | null;
  /** The build of the core that runs here: `scalar` where the browser has no WebAssembly SIMD. */
  readonly core: CoreKind;
  readonly protections: Protections;
}

/** What only the device knows, beside its stored data. */
type DeviceFacts = Pick<
  DeviceStatus,
  | 'engineIds'
  | 'framesPerSecond'
  | 'core'
  | 'protections'
  | 'unattended'
  | 'syncing'
  | 'lastSync'
  | 'connection'
  | 'nextSyncAtMs'
> & { readonly isTooSlow: boolean; readonly checkInsDeliveredAtMs: number | null; readonly isReached: boolean };

export function statusOf(
  vault: Vault,
  { isTooSlow, checkInsDeliveredAtMs, isReached, ...facts }: DeviceFacts,
): DeviceStatus {
  const { list, identity, syncedAtMs, wipe, tombstone } = vault.state;
  const refusal = refusalOf(vault.state, vault.time(), { kind: 'absent' }, vault.distrusted);
  const standing = refusal?.outcome === 'LeaseExpired' || refusal?.outcome === 'Expired' ? refusal : null;
  const notReady = standing ?? (isTooSlow ? tooSlow : null);
  const { engineIds, framesPerSecond } = facts;
  return {
    ...facts,
    ready: notReady === null,
    notReady,
    listId: identity?.listId ?? null,
    deviceId: identity?.deviceId ?? null,
    listVersion: list === null ? null : (identity?.version ?? null),
    people: vault.held?.index.recordCount ?? 0,
    enrollmentClosed: list?.enrollmentClosed ?? null,
    headTurnAlternative: list?.headTurnAlternative ?? 'none',
    attendance: list === null ? null : (list.attendance ?? 'staffed'),
    mode: list?.mode ?? 'live',
    names: list?.names ?? null,
    reEntry: list?.reEntry ?? 'off',
    arrivals: list?.arrivals ?? 'off',
    sharedAdmissions: {
      scope: list?.reEntryScope ?? 'device',
      sharing: sharesAdmissions(list) ? (isReached ? 'together' : 'alone') : 'off',
      unsent: vault.admissions.unsent,
      conflicts: vault.admissions.conflicts.map(({ tag, ...conflict }) => conflict),
    },
    checkIns: {
      configured: list?.checkIn !== undefined,
      queued: vault.admissions.refs().length,
      lastDeliveredAtMs: checkInsDeliveredAtMs,
    },
    leaseExpiresAtMs: list?.leaseExpiresAtMs ?? null,
    retentionDeadlineMs: list?.retentionDeadlineMs ?? null,
    lastSyncAtMs: syncedAtMs,
    erased: wipe?.reason ?? (list === null ? (tombstone?.reason ?? null) : null),
    engineMismatch: list !== null && !list.epochs.some(({ engineId }) => engineIds.includes(engineId)),
    framesPerSecond: framesPerSecond === null ? null : Math.round(framesPerSecond * 10) / 10,
  };
}

/** Platform timers count milliseconds in 31 bits. */
const LONGEST_TIMER_MS = 24 * 60 * 60_000;

export interface StatusWatchOptions {
  readonly status: () => DeviceStatus;
  readonly timers: Timers;
  /** Trusted time now, milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Called when a lease or deadline is reached: deletes what is due. */
  readonly onBoundary: () => Promise<unknown>;
}

/** Notifies listeners of status changes: at once after a device action, and at the moment of a change by time. */
export class StatusWatch {
  readonly #options: StatusWatchOptions;
  readonly #listeners = new Set<(status: DeviceStatus) => void>();
  #told = '';
  #cancelTimer: () => void = () => undefined;
  #closed = false;

  constructor(options: StatusWatchOptions) {
    this.#options = options;
  }

  /** @returns removes the listener; idempotent */
  add(listener: (status: DeviceStatus) => void): () => void {
    // A new function, so that the same listener can be added twice.
    const own = (status: DeviceStatus) => listener(status);
    if (this.#listeners.size === 0) this.#told = JSON.stringify(this.#options.status());
    if (!this.#closed) this.#listeners.add(own);
    this.#waitForBoundary();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#cancelTimer();
    };
  }

  look(): void {
    if (this.#listeners.size === 0) return;
    const status = this.#options.status();
    const now = JSON.stringify(status);
    if (now !== this.#told) {
      this.#told = now;
      for (const listener of [...this.#listeners]) {
        try {
          listener(status);
        } catch {
          // A failing screen must not affect the device's deadlines.
        }
      }
    }
    this.#waitForBoundary();
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#cancelTimer();
  }

  #waitForBoundary(): void {
    this.#cancelTimer();
    if (this.#listeners.size === 0) return;
    const { status, timers, nowMs, onBoundary } = this.#options;
    const now = nowMs();
    const { leaseExpiresAtMs, retentionDeadlineMs } = status();
    const ahead = [leaseExpiresAtMs, retentionDeadlineMs].filter((at) => at !== null && at > now);
    if (ahead.length === 0) return;
    const delayMs = Math.min(LONGEST_TIMER_MS, ...ahead.map((at) => (at ?? now) - now));
    this.#cancelTimer = timers.after(delayMs, () => {
      void onBoundary()
        .catch(() => undefined)
        .then(() => this.look());
    });
  }
}
