import { SYNC_INTERVAL_MS } from '@svc/protocol/sync';
import type { Random } from '../ports/platform.ts';
import type { SyncFailure, SyncResult } from './sync-result.ts';

/** The first retry after a failure; each further one waits twice as long, up to the interval. */
export const FIRST_RETRY_MS = 15_000;

/** Whether the service is in reach, as far as the last sync tells. */
export type Connection = 'online' | 'offline' | 'unknown';

/** No answer came, or none that is the service's own: a captive portal looks no better than a pulled cable. */
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
/** The network was not asked, or is not what failed. */
const unasked: readonly SyncFailure[] = ['erased-for-good', 'storage-failed', 'disposed'];
/** What asking again soon does not change. */
const settled: readonly SyncFailure[] = ['erased-for-good', 'unauthorised', 'device-key-mismatch'];

/** What a sync's result says of the connection; `before` where it says nothing. */
export function connectionAfter(result: SyncResult, before: Connection): Connection {
  if (result.ok) return 'online';
  if (unasked.includes(result.reason)) return before;
  return unreached.includes(result.reason) ? 'offline' : 'online';
}

/**
 * How long to wait for the next sync, in milliseconds: after a good one 90 to 100 % of five minutes, so that a thousand
 * devices that were switched on together do not stay together; after `failures` in a row half to all of a time that
 * doubles from 15 seconds to five minutes.
 */
export function nextSyncDelayMs(result: SyncResult, failures: number, random: Random): number {
  const share = drawShare(random);
  if (result.ok || settled.includes(result.reason)) return SYNC_INTERVAL_MS * (0.9 + 0.1 * share);
  const ceiling = Math.min(SYNC_INTERVAL_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 30));
  return ceiling * (0.5 + 0.5 * share);
}

/** From 0 to 1. */
function drawShare(random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return (high * 256 + low) / 65_535;
}
