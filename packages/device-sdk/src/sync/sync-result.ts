import type { LinkFailureReason, WipeReason } from '@svc/protocol/sync';

/** Why a sync changed nothing. All but the last four can be temporary; the next sync tries again. */
export const syncFailures = [
  // no answer, or none of the service
  'offline',
  'timed-out',
  'unauthorised',
  'device-key-mismatch',
  'rate-limited',
  'server-error',
  'unexpected-answer',
  // a rejected answer, in the order of the checks
  'too-long',
  'envelope-invalid',
  'unknown-signing-key',
  'signature-invalid',
  'manifest-invalid',
  'other-device',
  'other-list',
  'other-nonce',
  'version-rolled-back',
  'version-conflict',
  'manifest-expired',
  'payload-hash-mismatch',
  'base-mismatch',
  'delta-invalid',
  'pack-invalid',
  'state-hash-mismatch',
  'list-key-unopenable',
  'check-record-unopenable',
  'check-in-secret-unopenable',
  // the device itself
  'erased-for-good',
  'storage-failed',
  'disposed',
] as const;
/** Why a sync changed nothing. */
export type SyncFailure = (typeof syncFailures)[number];

/** The result of a sync. */
export type SyncResult =
  /** The list is up to date, and the lease is renewed. */
  | {
      readonly ok: true;
      readonly outcome: 'updated' | 'unchanged';
      readonly listVersion: number;
      readonly people: number;
    }
  /** The service ordered a wipe, which was carried out. */
  | { readonly ok: true; readonly outcome: 'wiped'; readonly reason: WipeReason }
  | { readonly ok: false; readonly reason: SyncFailure };

/** A payload could not be had by its link, or was another; the device asks for it inline. Nothing else is wrong yet. */
export class LinkFailure extends Error {
  readonly reason: LinkFailureReason;
  constructor(reason: LinkFailureReason, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

export class SyncRefusal extends Error {
  readonly reason: SyncFailure;
  constructor(reason: SyncFailure, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}
