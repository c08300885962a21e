import { describe, expect, it } from 'vitest';
import { readWhole } from '../testing/contracts.ts';
import { answer, createHarness, readyDevice } from '../testing/device-harness.ts';
import { templateOf } from '../testing/fake-engine.ts';
import { intercepted } from '../testing/watched-stores.ts';

const HOUR = 60 * 60_000;

async function withChanges() {
  const harness = createHarness();
  harness.service.sendsDeltas = true;
  const device = await readyDevice(harness);
  /** The device's list, and the list that the service would send whole. */
  const held = async () => {
    const generations = await harness.ports.packStore.listPacks();
    expect(generations).toHaveLength(1);
    return readWhole(harness.ports.packStore, generations[0] ?? 0);
  };
  const kinds: number[] = [];
  harness.service.bend = (draft) => void kinds.push(draft.payloadKind);
  return { harness, service: harness.service, device, held, kinds };
}

describe('changes', () => {
  it('turn the held pack into the one that would be sent whole, at every sync', async () => {
    const { service, device, held, kinds } = await withChanges();
    service.enrol('ticket-3', templateOf(3));
    service.erase('ticket-1');
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 2 });
    expect(await held()).toEqual(await service.pack());
    service.enrol('ticket-2', templateOf(5));
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 2 });
    expect(await held()).toEqual(await service.pack());
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'unchanged' });
    expect(kinds).toEqual([2, 2, 0]);
    expect(await answer(device, 'ticket-1')).toBe('NotEnrolled/not-on-list');
    expect(await answer(device, 'ticket-2')).toBe('NoMatch/below-threshold');
  });

  it('may remove people whom the device has already dropped', async () => {
    const { harness, service, device, held, kinds } = await withChanges();
    service.enrol('short', templateOf(3), harness.time.clock.wallMs() + HOUR);
    await device.syncAsync();
    await harness.time.advance(2 * HOUR);
    expect(await answer(device)).toBe('Match/verified');
    expect(device.status().people).toBe(2);
    service.erase('short');
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 2 });
    expect(await held()).toEqual(await service.pack());
    expect(kinds).toEqual([2, 2]);
  });

  it('that assume a record dropped by the device’s clock are followed by the whole list in one sync', async () => {
    const { harness, service, device, held, kinds } = await withChanges();
    service.enrol('short', templateOf(3), harness.time.clock.wallMs() + 2 * HOUR);
    await device.syncAsync();
    // The device's clock was set forward; the service's was not.
    harness.time.setWall(harness.time.clock.wallMs() + 3 * HOUR);
    service.skewMs = -3 * HOUR;
    expect(await answer(device, 'short')).toBe('Expired/person-deadline');
    service.enrol('ticket-3', templateOf(4));
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 4 });
    expect(await held()).toEqual(await service.pack());
    expect(kinds).toEqual([2, 2, 1]);
  });

  it('that are empty do not fit a list that lost records by a wrong clock: it gets the whole list', async () => {
    const { harness, service, device, held, kinds } = await withChanges();
    service.enrol('short', templateOf(1), harness.time.clock.wallMs() + 2 * HOUR);
    await device.syncAsync();
    harness.time.setWall(harness.time.clock.wallMs() + 3 * HOUR);
    expect(await answer(device, 'short')).toBe('Expired/person-deadline');
    harness.time.setWall(harness.time.clock.wallMs() - 3 * HOUR);
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 3 });
    expect(await held()).toEqual(await service.pack());
    expect(kinds).toEqual([2, 0, 1]);
    expect(await answer(device, 'short')).toBe('Match/verified');
  });

  it('received while a record falls due do not replace the pack without it: it requests the whole list', async () => {
    const { harness, service, device } = await withChanges();
    let meanwhile = async () => {};
    const ports = intercepted(harness.ports, async (name, run) => {
      const result = await run();
      // The last check of the answer has begun.
      if (name === 'openListKeys') await meanwhile();
      return result;
    });
    service.enrol('short', templateOf(3), harness.time.clock.wallMs() + HOUR);
    await device.syncAsync();
    await device.dispose();
    const again = await harness.create({ ports });
    service.enrol('ticket-4', templateOf(4));
    meanwhile = async () => {
      meanwhile = async () => {};
      harness.time.setWall(harness.time.clock.wallMs() + HOUR);
      expect(await answer(again, 'short')).toBe('Expired/person-deadline');
    };
    expect(await again.syncAsync()).toMatchObject({ ok: true, outcome: 'updated' });
    expect(service.requests.slice(-2).map(({ url }) => new URL(url).search)).toEqual(['?since=4', '?since=0']);
    expect(await answer(again)).toBe('Match/verified');
  });
});
