import { describe, expect, it } from 'vitest';
import { connectionAfter, nextSyncDelayMs } from './schedule.ts';
import type { SyncResult } from './sync-result.ts';

const MINUTE = 60_000;
const good: SyncResult = { ok: true, outcome: 'unchanged', listVersion: 1, people: 1 };
const bad: SyncResult = { ok: false, reason: 'offline' };
const drawing = (value: number) => ({ bytes: (length: number) => new Uint8Array(length).fill(value) });

describe('the next sync', () => {
  it('leaves six seconds of five minutes for itself after a success, and is spread over 24 s', () => {
    expect([0, 255].map((drawn) => nextSyncDelayMs(good, 0, drawing(drawn)))).toEqual([270_000, 294_000]);
  });

  it('doubles its delay with each failure, up to the interval', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((failures) => nextSyncDelayMs(bad, failures, drawing(255)));
    expect(delays).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
    expect(nextSyncDelayMs(bad, 1, drawing(0))).toBe(7_500);
  });

  it.each(['unauthorised', 'device-key-mismatch', 'erased-for-good'] as const)('is not early after %s', (reason) => {
    expect(nextSyncDelayMs({ ok: false, reason }, 1, drawing(0))).toBe(4.5 * MINUTE);
  });
});

describe('the connection', () => {
  it.each([
    [good, 'online'],
    [{ ok: true, outcome: 'wiped', reason: 'device-revoked' }, 'online'],
    [{ ok: false, reason: 'offline' }, 'offline'],
    [{ ok: false, reason: 'timed-out' }, 'offline'],
    [{ ok: false, reason: 'unexpected-answer' }, 'offline'],
    [{ ok: false, reason: 'signature-invalid' }, 'offline'],
    [{ ok: false, reason: 'rate-limited' }, 'online'],
    [{ ok: false, reason: 'unauthorised' }, 'online'],
    [{ ok: false, reason: 'storage-failed' }, 'unknown'],
  ] as const)('after %j is %s', (result, expected) => {
    expect(connectionAfter(result, 'unknown')).toBe(expected);
  });
});
