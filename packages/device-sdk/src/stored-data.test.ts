import { HOUR_MS as HOUR } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { inParts, readWhole } from './testing/contracts.ts';
import {
  answer,
  createHarness,
  type Harness,
  NOTHING,
  readyDevice,
  readyHarness,
  recorded,
  remains,
  visit,
} from './testing/device-harness.ts';
import { templateOf } from './testing/fake-engine.ts';
import { syncAnswer, token } from './testing/fake-service.ts';
import { contentsOf, failing, intercepted } from './testing/watched-stores.ts';

/** Packs whose bytes are others than were written while `isChanged`. */
function withChangingPacks({ ports }: Harness, isChanged: () => boolean) {
  const openPack = async (generation: number) => {
    const reader = await ports.packStore.openPack(generation);
    const read = async (...range: [number, number]) => {
      const bytes = (await reader?.read(...range)) ?? new Uint8Array();
      return isChanged() ? bytes.map((byte) => byte ^ 1) : bytes;
    };
    return reader === null ? null : { ...reader, read };
  };
  return { packStore: { ...ports.packStore, openPack } };
}

describe('stored data', () => {
  it('is not trusted after the state was tampered with', async () => {
    const harness = createHarness();
    await readyDevice(harness);
    const state = (await harness.ports.packStore.readState()) ?? new Uint8Array();
    const text = new TextDecoder('latin1').decode(state).replace(/"leaseExpiresAtMs":(\d)/, '"leaseExpiresAtMs":9');
    await harness.ports.packStore.writeState(Uint8Array.from(text, (char) => char.charCodeAt(0)));
    const again = await harness.create();
    expect(await answer(again)).toBe('LeaseExpired/state-untrusted');
    expect(await remains(harness)).toEqual(NOTHING);
    expect(await again.syncAsync()).toMatchObject({ ok: true, people: 2 });
    expect(await answer(again)).toBe('Match/verified');
  });

  it.each([
    [
      'an older pack under the newer state',
      async (harness: Harness, older: Uint8Array) => harness.ports.packStore.writePack(2, inParts(older)),
    ],
    ['no pack', async (harness: Harness) => harness.ports.packStore.deletePack(2)],
    ['no keys', async (harness: Harness) => harness.ports.keyStore.deleteListKeys(2)],
    [
      'a pack cut short',
      async (harness: Harness, older: Uint8Array) => harness.ports.packStore.writePack(2, inParts(older.subarray(9))),
    ],
  ])('is not trusted with %s', async (_what, tamper) => {
    const { harness, device } = await readyHarness();
    const older = (await readWhole(harness.ports.packStore, 1)) ?? new Uint8Array();
    harness.service.erase('ticket-2');
    await device.syncAsync();
    await tamper(harness, older);
    const again = await harness.create();
    expect(await answer(again, 'ticket-2')).toBe('LeaseExpired/state-untrusted');
    expect(await remains(harness)).toEqual(NOTHING);
    expect(await again.syncAsync()).toMatchObject({ ok: true, people: 1 });
    expect(await answer(again)).toBe('Match/verified');
  });

  it('is not trusted, and deleted, if it changes while it is read in ranges', async () => {
    const harness = createHarness();
    let changed = false;
    const ports = withChangingPacks(harness, () => changed);
    const device = await readyDevice(harness, { ports });
    changed = true;
    expect(await answer(device)).toBe('LeaseExpired/state-untrusted');
    expect(await remains(harness)).toEqual(NOTHING);
    changed = false;
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 2 });
    expect(await answer(device)).toBe('Match/verified');
  });

  it('that is dropped during a sync, on a failing store, does not take the new list with it', async () => {
    const harness = createHarness();
    let [isChanged, fails] = [false, false];
    const stores = { ...harness.ports, ...withChangingPacks(harness, () => isChanged) };
    const ports = failing(stores, () => (fails ? ['deleteListKeys'] : []));
    const device = await readyDevice(harness, { ports });
    harness.service.enrol('ticket-3', templateOf(3));
    harness.service.answer = async (draft) => {
      [isChanged, fails] = [true, true];
      expect(await answer(device)).toBe('LeaseExpired/storage-failed');
      [isChanged, fails] = [false, false];
      return syncAnswer(await draft());
    };
    expect(await device.syncAsync()).toMatchObject({ ok: true, people: 3 });
    expect(await answer(device)).toBe('Match/verified');
    expect(await remains(harness)).toEqual({ packs: 1, listKeys: 1 });
  });

  it('is deleted for another token, device key included', async () => {
    const harness = createHarness();
    await readyDevice(harness);
    const again = await harness.create({ deviceToken: token(2) });
    expect(await remains(harness)).toEqual(NOTHING);
    expect(await harness.ports.keyStore.hasDeviceKey()).toBe(false);
    expect(await answer(again)).toBe('LeaseExpired/never-synced');
  });

  it('shows no ID, no template and no key in the clear', async () => {
    const { harness, device } = await readyHarness();
    await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')));
    const { packs, state } = await contentsOf(harness.ports);
    const seen = `${state} ${Object.values(packs)
      .map((hex) => Buffer.from(hex, 'hex').toString('latin1'))
      .join()}`;
    expect(seen).not.toContain('ticket-1');
    expect(seen).not.toContain(Buffer.from(harness.service.newest.listKey).toString('latin1'));
    expect(seen).not.toContain(token(1));
  });
});

describe('a store that fails', () => {
  it.each(['readState', 'listPacks'] as const)('at %s stops create with storage-failed', async (operation) => {
    const harness = createHarness();
    const created = harness.create({ ports: failing(harness.ports, () => [operation]) });
    await expect(created).rejects.toMatchObject({ code: 'storage-failed', retryable: true });
  });

  it('verifies no one and keeps the old list, and the next sync repairs it', async () => {
    const harness = createHarness();
    let full = false;
    const ports = failing(harness.ports, () => (full ? ['writeState'] : []));
    const device = await readyDevice(harness, { ports });
    full = true;
    expect(await answer(device)).toBe('LeaseExpired/storage-failed');
    harness.service.enrol('ticket-3', templateOf(3));
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'storage-failed' });
    full = false;
    expect(await answer(device)).toBe('Match/verified');
    expect(await device.syncAsync()).toMatchObject({ ok: true, people: 3 });
  });

  it('because it is full does not keep faces past their deadline', async () => {
    const harness = createHarness();
    let full = false;
    const ports = failing(harness.ports, () => (full ? ['writeState'] : []));
    harness.service.retentionDeadline = new Date(harness.time.clock.wallMs() + HOUR).toISOString();
    const device = await readyDevice(harness, { ports });
    full = true;
    await harness.time.advance(HOUR);
    expect(await answer(device)).toBe('Expired/list-deadline');
    expect(await remains(harness)).toEqual(NOTHING);
    full = false;
    expect(await answer(device)).toBe('Expired/list-deadline');
  });

  /** A device with one person who expires in an hour, on stores whose `broken` operations fail. */
  async function withShortStay(broken: () => readonly string[]) {
    const harness = createHarness();
    const opened: Uint8Array[] = [];
    const { aead } = harness.ports;
    const ports = {
      ...failing(harness.ports, broken),
      aead: {
        ...aead,
        open: (...args: Parameters<typeof aead.open>) => {
          opened.push(args[0]);
          return aead.open(...args);
        },
      },
    };
    harness.service.enrol('short', templateOf(3), harness.time.clock.wallMs() + HOUR);
    const device = await readyDevice(harness, { ports });
    const sealed = Object.values((await contentsOf(harness.ports)).packs).join('');
    return { harness, device, ports, opened, sealed };
  }

  const full = ['writeState', 'writePack', 'keepAs'];

  it.each([
    ['nothing can be written', full, true],
    ['no pack can be written', ['writePack'], true],
    ['no key can be written', ['keepAs'], true],
    ['no state can be written', ['writeState'], false],
    ['nothing can be written or deleted', [...full, 'deletePack', 'deleteListKeys'], false],
  ])('does not serve a person past the own deadline where %s', async (_what, operations, isDeleted) => {
    let broken: readonly string[] = [];
    const { harness, device, opened } = await withShortStay(() => broken);
    await harness.time.advance(HOUR);
    broken = operations;
    opened.length = 0;
    expect(await answer(device, 'short')).toBe('Expired/person-deadline');
    expect(await answer(device, 'short')).not.toMatch(/^(Match|NoMatch)/);
    expect(opened).toEqual([]);
    if (!isDeleted) return;
    // If the list cannot be stored without the person, all of it is deleted: record and key must not remain.
    expect(await remains(harness)).toEqual(NOTHING);
    expect(device.status()).toMatchObject({ ready: false, people: 0 });
    broken = [];
    expect(await answer(device)).toBe('LeaseExpired/state-untrusted');
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated' });
    expect(await answer(device)).toBe('Match/verified');
  });

  it('that has room again once the old pack is gone keeps the others past one person’s deadline', async () => {
    let tight = false;
    const harness = createHarness();
    const inner = harness.ports.packStore;
    const ports = intercepted(harness.ports, async (name, run) => {
      if (name === 'writePack' && tight && (await inner.listPacks()).length > 0) throw new Error('ENOSPC');
      return run();
    });
    harness.service.enrol('short', templateOf(3), harness.time.clock.wallMs() + HOUR);
    const device = await readyDevice(harness, { ports });
    tight = true;
    await harness.time.advance(HOUR);
    expect(await answer(device, 'short')).toBe('Expired/person-deadline');
    expect(await answer(device)).toBe('Match/verified');
    expect(device.status().people).toBe(2);
    harness.time.restart();
    expect(await answer(await harness.create({ ports }))).toBe('Match/verified');
  });
});
