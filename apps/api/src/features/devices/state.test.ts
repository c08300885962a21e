import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { deviceStateOf, leaseEndOf } from './service.ts';
import { NEVER_SYNCED } from './store.ts';

const NOW = Date.UTC(2026, 5, 20, 18);
const ago = (ms: number) => new Date(NOW - ms);
const device = (facts: object = {}) => ({ ...NEVER_SYNCED, expiresAt: null, ...facts });
const synced = (ms: number, facts: object = {}) => device({ lastSyncAt: ago(ms), ...facts });

describe('the state of a device', () => {
  it.each([
    ['never-synced', device()],
    ['fresh', synced(0)],
    ['fresh', synced(15 * MINUTE_MS - 1)],
    ['due', synced(15 * MINUTE_MS)],
    ['due', synced(18 * HOUR_MS - 1)],
    ['lease-running-out', synced(18 * HOUR_MS)],
    ['lease-running-out', synced(DAY_MS - 1)],
    ['expired', synced(DAY_MS)],
    ['expired', synced(30 * DAY_MS - 1)],
    ['wiped', synced(30 * DAY_MS)],
    ['copied', synced(0, { copiedAt: ago(HOUR_MS) })],
    ['copied', synced(2 * DAY_MS, { copiedAt: ago(3 * DAY_MS) })],
    ['revoked', synced(0, { revokedAt: ago(1), copiedAt: ago(2) })],
    ['wiped', synced(0, { revokedAt: ago(1), wipeTold: 'device-revoked' })],
    ['wiped', synced(0, { wipeTold: 'account-suspended' })],
    ['unsuited', synced(0, { wipeTold: 'unattended-unsupported' })],
    ['unsuited', device({ wipeTold: 'unattended-unsupported' })],
    ['unsuited', synced(0, { wipeTold: 'device-unsuited' })],
    ['wiped', synced(30 * DAY_MS, { wipeTold: 'unattended-unsupported' })],
    // It never held anything.
    ['wiped', device({ revokedAt: ago(1) })],
    // The retention deadline of its list.
    ['wiped', synced(0, { expiresAt: ago(0) })],
    ['fresh', synced(0, { expiresAt: ago(-1) })],
    ['expired', device({ expiresAt: ago(0) })],
    ['never-synced', device({ expiresAt: ago(-1) })],
  ] as const)('is %s (%#)', (state, facts) => {
    expect(deviceStateOf(facts, NOW)).toBe(state);
  });
});

it('the lease ends a day after the sync, or at the retention deadline', () => {
  expect(leaseEndOf(device())).toBeNull();
  expect(leaseEndOf(synced(HOUR_MS))).toEqual(ago(-23 * HOUR_MS));
  expect(leaseEndOf(synced(HOUR_MS, { expiresAt: ago(-HOUR_MS) }))).toEqual(ago(-HOUR_MS));
  expect(leaseEndOf(synced(HOUR_MS, { expiresAt: ago(-25 * HOUR_MS) }))).toEqual(ago(-23 * HOUR_MS));
});
