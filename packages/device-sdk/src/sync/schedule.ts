import { SYNC_INTERVAL_MS } from '@svc/protocol/sync';
import type { Random } from '../platform/platform.ts';
import type { SyncFailure, SyncResult } from './sync-result.ts';

/** Delay of the first retry after a failure; each further one doubles, up to the interval. */
export const FIRST_RETRY_MS = 15_000;

/** Whether the service is reachable, according to the last sync. */
export type Connection = 'online' | 'offline' | 'unknown';

/** No answer, or none of the service itself: a captive portal counts as offline. */
const unreached: readonly SyncFailure[] = [
  'offline',
  'timed-out',
  'server-error',
  'unexpected-answer',
  'too-long',
  'envelope-invalid',
  'unknown-signing-key',
  'signature-invalid',
];
/** The network was not used, or is not the cause. */
const unasked: readonly SyncFailure[] = ['erased-for-good', 'storage-failed', 'disposed'];
/** Failures that an early retry does not change. */
const settled: readonly SyncFailure[] = ['erased-for-good', 'unauthorised', 'device-key-mismatch'];

/** The connection after a sync's result; `before` if the result says nothing about it. */
export function connectionAfter(result: SyncResult, before: Connection): Connection {
  if (result.ok) return 'online';
  if (unasked.includes(result.reason)) return before;
  return unreached.includes(result.reason) ? 'offline' : 'online';
}

/**
 * Delay until the next sync, in milliseconds. After success 90 to 98 % of five minutes, so that devices switched on
 * together spread out, and the next copy is there within five minutes even if its sync takes seconds; after `failures` in a row 50 to 100 % of a time that doubles from 15 seconds to five minutes.
 */
export function nextSyncDelayMs(result: SyncResult, failures: number, random: Random): number {
  if (result.ok || settled.includes(result.reason)) return SYNC_INTERVAL_MS * (0.9 + 0.08 * drawShare(random));
  return retryDelayMs(failures, random);
}

/** 50 to 100 % of a time that doubles with each of `failures` (from 1) in a row, from 15 seconds to five minutes. */
export function retryDelayMs(failures: number, random: Random): number {
  const ceiling = Math.min(SYNC_INTERVAL_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 30));
  return ceiling * (0.5 + 0.5 * drawShare(random));
}

/** Uniform from 0 to 1. */
function drawShare(random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return (high * 256 + low) / 65_535;
}
