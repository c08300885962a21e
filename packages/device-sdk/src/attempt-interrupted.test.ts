import { describe, expect, it, vi } from 'vitest';
import type { ListKeys } from './storage/key-store.ts';
import { answer, createHarness, readyDevice, readyHarness, recorded, visit } from './testing/device-harness.ts';
import { type Head, type Scene, templateOf } from './testing/fake-engine.ts';
import type { FakeService } from './testing/fake-service.ts';
import { intercepted } from './testing/watched-stores.ts';

const HOUR = 60 * 60_000;

/** Frames with two people and optional others. */
const crowd = (count: number, ...others: readonly Head[]): Scene[] =>
  Array.from({ length: count }, () => ({ heads: [{ who: 1 }, { who: 2, x: 450 }, ...others] }));

describe('a change during an attempt', () => {
  /** A visit with an action before its last frames. */
  const interrupted = (action: () => Promise<unknown>) => {
    const camera = recorded(visit(1, 'left'));
    return {
      ...camera,
      async *frames(signal: AbortSignal) {
        let i = 0;
        for await (const frame of camera.frames(signal)) {
          if (i === 15) await action();
          i += 1;
          yield frame;
        }
      },
    };
  };

  it.each<[string, (service: FakeService) => unknown, string]>([
    ['a person erased meanwhile does not match', (service) => service.erase('ticket-1'), 'NotEnrolled/not-on-list'],
    [
      'a person enrolled again meanwhile does not match by the old face',
      (service) => service.enrol('ticket-1', templateOf(5)),
      'NotEnrolled/record-changed',
    ],
    [
      'a revocation ends it',
      (service) => Object.assign(service, { wipe: 'device-revoked' }),
      'LeaseExpired/device-revoked',
    ],
  ])('%s', async (_what, change, expected) => {
    const { harness, device } = await readyHarness();
    const camera = interrupted(async () => {
      change(harness.service);
      await device.syncAsync();
    });
    expect(await answer(device, 'ticket-1', camera)).toBe(expected);
  });

  it('a lease that ends meanwhile ends it', async () => {
    const { harness, device } = await readyHarness();
    await harness.time.advance(24 * HOUR - 100);
    const camera = interrupted(() => harness.time.advance(200));
    expect(await answer(device, 'ticket-1', camera)).toBe('LeaseExpired/lease-expired');
  });

  it('the host’s signal cancels it', async () => {
    const { device } = await readyHarness();
    const host = new AbortController();
    const camera = interrupted(async () => host.abort());
    const { signal } = host;
    const result = await device.verifyLiveAsync('ticket-1', camera, { signal });
    expect(result).toMatchObject({ outcome: 'ChallengeFailed', reason: 'cancelled' });
    for (const ms of Object.values(result.timings)) expect(ms ?? 0).toBeGreaterThanOrEqual(0);
    // One that was aborted before opens no camera for long, and others are not affected.
    const aborted = await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')), { signal });
    expect(aborted).toMatchObject({ outcome: 'NoFace', reason: 'cancelled', counts: { framesAnalysed: 0 } });
    expect(await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')))).toMatchObject({ outcome: 'Match' });
  });

  it('dispose cancels it, and later calls answer at once', async () => {
    const { device } = await readyHarness();
    let disposed: Promise<void> | undefined;
    const camera = interrupted(async () => {
      disposed = device.dispose();
    });
    expect(await device.verifyLiveAsync('ticket-1', camera)).toMatchObject({ reason: 'cancelled' });
    await disposed;
    await device.dispose();
    expect(await answer(device, 'ticket-1', recorded([]))).toBe('NoFace/disposed');
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'disposed' });
  });
});

describe('memory', () => {
  it.each<[string, readonly (Head | Scene)[]]>([
    ['a match', visit(1, 'left')],
    ['an attack', visit(1, 'left', { live: 0 })],
    ['two people', [...visit(1, 'left').slice(0, 3), ...crowd(8)]],
    ['a crowd in which the engine breaks', [...crowd(8), { heads: [], fails: true }]],
    ['a crowd in which one face can’t be looked at', crowd(3, { who: 3, x: 20, broken: true })],
  ])('after %s no template, embedding, landmark or open image is left', async (_what, scenes) => {
    const harness = createHarness();
    const handles: ListKeys[] = [];
    const ports = intercepted(harness.ports, async (name, run) => {
      const result = await run();
      if (name === 'listKeys' || name === 'openListKeys') handles.push(result as ListKeys);
      return result;
    });
    const device = await readyDevice(harness, { ports });
    await device.verifyLiveAsync('ticket-1', recorded(scenes));
    expect(harness.engine.handedOut.length).toBeGreaterThan(0);
    for (const { what, data } of harness.engine.handedOut)
      expect([what, data.some((v) => v !== 0)]).toEqual([what, false]);
    expect(harness.engine.openImages()).toBe(0);
    expect(handles.length).toBeGreaterThan(2);
    const none = new Uint8Array();
    for (const held of handles)
      await expect(held.keyOf(1)?.(none, none, 32)).rejects.toMatchObject({ code: 'storage-failed' });
  });
});

describe('start and stop', () => {
  it('dispose waits for pending writes before it releases the folder', async () => {
    const harness = createHarness();
    harness.service.answer = async () => Promise.reject(new Error('offline'));
    let hold = Promise.resolve();
    let goOn = () => {};
    let disposed = false;
    let late = 0;
    const ports = intercepted(harness.ports, async (name, run) => {
      if (name === 'writeState') await hold;
      if (name === 'writeState' && disposed) late += 1;
      return run();
    });
    const onDisposed = () => {
      disposed = true;
    };
    const device = await harness.create({ ports, onDisposed });
    device.start();
    await vi.waitFor(() => expect(device.status()).toMatchObject({ syncing: false, lastSync: { ok: false } }), 30_000);
    hold = new Promise((resolve) => {
      goOn = resolve;
    });
    // The device is writing the minute's time mark.
    await harness.time.advance(61_000);
    const disposing = device.dispose();
    await harness.time.advance(1);
    expect(disposed).toBe(false);
    goOn();
    await disposing;
    await harness.time.advance(1);
    expect([disposed, late]).toEqual([true, 0]);
  });

  it('joins a running sync', async () => {
    const harness = createHarness();
    const device = await harness.create();
    const results = await Promise.all([device.syncAsync(), device.syncAsync(), device.syncAsync()]);
    expect(harness.service.requests).toHaveLength(1);
    expect(results[1]).toEqual(results[0]);
    expect(results[0]).toMatchObject({ ok: true, outcome: 'updated' });
  });
});
