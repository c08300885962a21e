import { describe, expect, it, vi } from 'vitest';
import { createHarness, type Harness, readyHarness, recorded, visit } from '../testing/device-harness.ts';
import { templateOf } from '../testing/fake-engine.ts';
import { syncAnswer } from '../testing/fake-service.ts';
import { type HonestAnswer, hostileCases } from '../testing/hostile-cases.ts';
import { contentsOf } from '../testing/watched-stores.ts';

/** A device that holds version 3: two people. */
async function syncedDevice() {
  const { harness, device } = await readyHarness();
  expect(device.status()).toMatchObject({ listVersion: 3, people: 2 });
  return { harness, service: harness.service, device };
}

/** Prepares the honest answer. */
function change({ service }: Harness, instead: HonestAnswer): void {
  service.sendsDeltas = instead === 'changes';
  if (instead === 'wipe') service.wipe = 'device-revoked';
  if (instead === 'unchanged') return;
  service.enrol('ticket-3', templateOf(3));
  if (instead === 'changes') {
    service.erase('ticket-2');
    service.version = 4;
  }
}

describe('an answer with', () => {
  it.each(hostileCases)('$name is refused, and nothing of it is stored', async ({ lie, instead, reason }) => {
    const { harness, service, device } = await syncedDevice();
    await device.verifyLiveAsync('ticket-9', recorded([]));
    change(harness, instead);
    const before = await contentsOf(harness.ports);
    // If changes do not apply, the device requests the whole list at once.
    service.sendsWhole = instead === 'whole';
    lie(service);
    expect(await device.syncAsync()).toEqual({ ok: false, reason });
    expect(await contentsOf(harness.ports)).toEqual(before);
    expect(device.status()).toMatchObject({ listVersion: 3, people: 2, ready: true });
    expect(await device.verifyLiveAsync('ticket-3', recorded([]))).toMatchObject({ reason: 'not-on-list' });
    expect(await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')))).toMatchObject({ outcome: 'Match' });
    service.bend = () => undefined;
    [service.answer, service.wipe, service.sendsWhole] = [null, null, true];
    expect(await device.syncAsync()).toMatchObject({ ok: true, listVersion: service.version });
    expect(await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')))).toMatchObject({ outcome: 'Match' });
  });

  it.each(['another list’s key', 'another state hash', 'an unsigned answer', 'another device’s key'])(
    '%s is refused at a first sync too',
    async (name) => {
      const harness = createHarness();
      harness.service.enrol('ticket-1', templateOf(1));
      const lie = hostileCases.find((each) => each.name === name);
      const device = await harness.create();
      lie?.lie(harness.service);
      expect(await device.syncAsync()).toEqual({ ok: false, reason: lie?.reason });
      expect(await contentsOf(harness.ports)).toMatchObject({ packs: {}, listKeys: {} });
      expect(device.status()).toMatchObject({ ready: false, listId: null, erased: null });
    },
  );

  const askedSince = (service: Harness['service']) =>
    service.requests.map(({ url }) => new URL(url).searchParams.get('since'));

  it('changes that do not apply is followed by a request for the whole list in the same sync', async () => {
    const { harness, service, device } = await syncedDevice();
    change(harness, 'changes');
    hostileCases.find(({ name }) => name === 'another state hash after changes')?.lie(service);
    const lie = service.bend;
    service.bend = (draft) => (draft.payloadKind === 2 ? lie(draft) : undefined);
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', listVersion: 4, people: 2 });
    expect(await device.verifyLiveAsync('ticket-3', recorded(visit(3, 'left')))).toMatchObject({ outcome: 'Match' });
    service.bend = () => undefined;
    service.enrol('ticket-4', templateOf(4));
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated' });
    expect(askedSince(service)).toEqual(['0', '3', '0', '4']);
  });
});

describe('no answer of the service', () => {
  it('times out after two minutes', async () => {
    const { harness, service, device } = await syncedDevice();
    service.answer = () => new Promise(() => undefined);
    const asked = service.requests.length;
    const pending = device.syncAsync();
    await vi.waitFor(() => expect(service.requests).toHaveLength(asked + 1), 30_000);
    await harness.time.advance(60_000);
    expect(device.status().syncing).toBe(true);
    await harness.time.advance(60_001);
    expect(await pending).toEqual({ ok: false, reason: 'timed-out' });
  });

  it('that is slow does not lengthen the lease, which counts from the request', async () => {
    const { harness, service, device } = await syncedDevice();
    service.answer = async (draft) => {
      const answered = await draft();
      await harness.time.advance(90_000);
      return syncAnswer(answered);
    };
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    const { leaseExpiresAtMs } = device.status();
    expect((leaseExpiresAtMs ?? 0) - harness.time.clock.wallMs()).toBe(24 * 60 * 60_000 - 90_000);
  });
});
