import { HOUR_MS as HOUR, MINUTE_MS as MINUTE } from '@svc/protocol';
import { describe, expect, it, vi } from 'vitest';
import type { CheckInDevice } from './check-in-device.ts';
import type { DeviceStatus } from './status.ts';
import { createHarness, type Harness, readyHarness } from './testing/device-harness.ts';
import { templateOf } from './testing/fake-engine.ts';

/** A device that never synced, and its notifications. */
async function watched(over: Parameters<Harness['create']>[0] = {}) {
  const harness = createHarness();
  harness.service.enrol('ticket-1', templateOf(1));
  const device = await harness.create(over);
  const told: DeviceStatus[] = [];
  const stop = device.onStatus((status) => told.push(status));
  return { harness, device, told, stop };
}

describe('a listener of the status', () => {
  it('is called when a sync begins and ends, with the result of status()', async () => {
    const { device, told } = await watched();
    expect(device.status()).toMatchObject({ connection: 'unknown', nextSyncAtMs: null });
    expect(told).toEqual([]);
    await device.syncAsync();
    expect(told.map(({ syncing, people, connection }) => [syncing, people, connection])).toEqual([
      [true, 0, 'unknown'],
      [false, 1, 'online'],
    ]);
    expect(told.at(-1)).toEqual(device.status());
  });

  it('is called when the lease ends, to the millisecond, without a start', async () => {
    const { harness, device, told } = await watched();
    await device.syncAsync();
    await harness.time.advance(24 * HOUR - 1);
    expect(told.at(-1)?.ready).toBe(true);
    await harness.time.advance(1);
    expect(told.at(-1)).toMatchObject({ ready: false, notReady: { outcome: 'LeaseExpired', reason: 'lease-expired' } });
  });

  it('is not called after its removal, nor after the device was disposed', async () => {
    const { device, told, stop } = await watched();
    stop();
    stop();
    await device.syncAsync();
    expect(told).toEqual([]);
    const late: DeviceStatus[] = [];
    device.onStatus((status) => late.push(status));
    await device.dispose();
    await device.syncAsync();
    expect(late).toEqual([]);
  });

  it('may throw', async () => {
    const { device, told } = await watched();
    device.onStatus(() => {
      throw new Error('no screen');
    });
    const after: DeviceStatus[] = [];
    device.onStatus((status) => after.push(status));
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    expect([told.length, after.length]).toEqual([2, 2]);
  });
});

/** Advances time and lets each sync complete: its cryptography takes promise turns but no time. */
async function run({ time }: Harness, device: CheckInDevice, ms: number): Promise<void> {
  const step = 15_000;
  for (let passed = 0; passed < ms; passed += step) {
    await time.advance(Math.min(step, ms - passed));
    await vi.waitFor(() => expect(device.status().syncing).toBe(false), { timeout: 30_000, interval: 1 });
  }
}

describe('a started device', () => {
  it('syncs at once and then about every five minutes, and says when', async () => {
    const { harness, device, told } = await watched();
    device.start();
    device.start();
    await vi.waitFor(() => expect(device.status().nextSyncAtMs).not.toBeNull(), { timeout: 30_000, interval: 1 });
    const began = harness.time.clock.wallMs();
    const { nextSyncAtMs } = device.status();
    expect((nextSyncAtMs ?? 0) - began).toBeGreaterThanOrEqual(4.5 * MINUTE);
    expect((nextSyncAtMs ?? 0) - began).toBeLessThanOrEqual(5 * MINUTE);
    expect(told.at(-1)?.nextSyncAtMs).toBe(nextSyncAtMs);
    expect(harness.service.requests).toHaveLength(1);
    await run(harness, device, HOUR);
    expect(harness.service.requests.length).toBeGreaterThanOrEqual(1 + 12);
    expect(harness.service.requests.length).toBeLessThanOrEqual(1 + 14);
    device.stop();
    expect(device.status().nextSyncAtMs).toBeNull();
    await run(harness, device, HOUR);
    expect(harness.service.requests.length).toBeLessThanOrEqual(1 + 14);
  });

  it('counts from a sync that was requested in between', async () => {
    const { harness, device } = await readyHarness();
    device.start();
    await run(harness, device, 3 * MINUTE);
    await device.syncAsync();
    const asked = harness.service.requests.length;
    await run(harness, device, 4 * MINUTE);
    expect(harness.service.requests).toHaveLength(asked);
    await run(harness, device, MINUTE);
    expect(harness.service.requests).toHaveLength(asked + 1);
  });
});
