import type { PassiveLiveness } from '@svc/face-engine';
import type { Attendance } from '@svc/protocol/sync';
import type { Refusal } from '../verification/result.ts';
import type { TrustedTime } from './clock-rule.ts';
import type { EraseReason, TrustState } from './trust-state.ts';

export type Lookup =
  | { readonly kind: 'found'; readonly deleteAfterMs: number }
  /** On the list, but only in epochs of engines that this device lacks: templates of two engines are never compared. */
  | { readonly kind: 'other-engine' }
  | { readonly kind: 'absent' }
  /** Not a string, empty, too long, or not valid text. */
  | { readonly kind: 'invalid-id' }
  /** There is no list, or its keys are gone. */
  | { readonly kind: 'no-list' };

/** What a device lacks that an unattended list asks for: a passive model, or one with a calibration of its evidence. */
export const unattendedLacks = ['no-passive-model', 'old-passive-model'] as const;

/** Whether a device can serve an unattended list. */
export interface Suitability {
  readonly able: boolean;
  /** Empty if it is able. */
  readonly missing: readonly (typeof unattendedLacks)[number][];
}

export function suitabilityOf(passive: PassiveLiveness | null): Suitability {
  if (passive === null) return { able: false, missing: ['no-passive-model'] };
  const isOld = passive.calibration.evidence === null;
  return isOld ? { able: false, missing: ['old-passive-model'] } : { able: true, missing: [] };
}

/** What a device tells the service that it can serve. */
export const attendancesOf = ({ able }: Suitability): readonly Attendance[] =>
  able ? ['staffed', 'unattended'] : ['staffed'];

const erased: Record<EraseReason, Refusal> = {
  'retention-deadline': { outcome: 'Expired', reason: 'list-deadline' },
  'device-revoked': { outcome: 'LeaseExpired', reason: 'device-revoked' },
  'list-deleted': { outcome: 'LeaseExpired', reason: 'list-deleted' },
  'account-suspended': { outcome: 'LeaseExpired', reason: 'account-suspended' },
  'unattended-unsupported': { outcome: 'LeaseExpired', reason: 'unattended-unsupported' },
  'no-sync-30-days': { outcome: 'LeaseExpired', reason: 'no-sync-30-days' },
};

/**
 * The checks before the camera starts, in this order: Expired, LeaseExpired, NotEnrolled. Null allows the attempt.
 * @param distrusted the stored state was not this device's own and was discarded
 */
export function refusalOf(state: TrustState, time: TrustedTime, lookup: Lookup, distrusted: boolean): Refusal | null {
  const { list } = state;
  const gone = state.wipe ?? (list === null ? state.tombstone : null);
  if (gone !== null) return erased[gone.reason];
  if (list !== null && list.retentionDeadlineMs !== null && list.retentionDeadlineMs <= time.nowMs) {
    return { outcome: 'Expired', reason: 'list-deadline' };
  }
  if (lookup.kind === 'found' && lookup.deleteAfterMs <= time.nowMs) {
    return { outcome: 'Expired', reason: 'person-deadline' };
  }
  if (list === null) return { outcome: 'LeaseExpired', reason: distrusted ? 'state-untrusted' : 'never-synced' };
  if (time.wallIsBehind) return { outcome: 'LeaseExpired', reason: 'clock-behind' };
  if (list.leaseExpiresAtMs <= time.nowMs) return { outcome: 'LeaseExpired', reason: 'lease-expired' };
  if (lookup.kind === 'no-list') return { outcome: 'LeaseExpired', reason: 'state-untrusted' };
  if (lookup.kind === 'found') return null;
  if (lookup.kind === 'invalid-id') return { outcome: 'NotEnrolled', reason: 'id-invalid' };
  if (lookup.kind === 'other-engine') return { outcome: 'NotEnrolled', reason: 'engine-mismatch' };
  return { outcome: 'NotEnrolled', reason: 'not-on-list' };
}
