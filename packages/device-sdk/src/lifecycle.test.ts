import { DAY_MS as DAY, HOUR_MS as HOUR, MINUTE_MS as MINUTE } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { CheckInDevice } from './check-in-device.ts';
import {
  answer,
  createHarness,
  type Harness,
  NOTHING,
  readyDevice,
  readyHarness,
  remains,
} from './testing/device-harness.ts';
import { templateOf } from './testing/fake-engine.ts';
import { DIMENSION, token } from './testing/fake-service.ts';
import { contentsOf, intercepted } from './testing/watched-stores.ts';

describe('the lease', () => {
  it('lasts twenty-four hours from the last sync, across a restart, and is renewed by the next', async () => {
    const { harness, device } = await readyHarness();
    await harness.time.advance(DAY - 1);
    expect(await answer(device)).toBe('Match/verified');
    await harness.time.advance(1);
    expect(await answer(device)).toBe('LeaseExpired/lease-expired');
    harness.time.restart();
    const again = await harness.create();
    expect(await answer(again)).toBe('LeaseExpired/lease-expired');
    expect(again.status()).toMatchObject({ ready: false, people: 2 });
    expect(await again.syncAsync()).toMatchObject({ ok: true, outcome: 'unchanged', people: 2 });
    expect(await answer(again)).toBe('Match/verified');
  });

  it('is not lengthened by setting the clock back while switched off', async () => {
    const { harness, device } = await readyHarness();
    await harness.time.advance(2 * HOUR);
    expect(await answer(device)).toBe('Match/verified');
    harness.time.setWall(harness.time.clock.wallMs() - HOUR);
    harness.time.restart();
    const again = await harness.create();
    expect(await answer(again)).toBe('LeaseExpired/clock-behind');
    expect(await again.syncAsync()).toMatchObject({ ok: true });
    expect(await answer(again)).toBe('Match/verified');
  });
});

describe('before the first sync', () => {
  it('no person is verified', async () => {
    const device = await createHarness().create();
    expect(await answer(device)).toBe('LeaseExpired/never-synced');
    expect(await answer(device, '')).toBe('LeaseExpired/never-synced');
  });
});

describe('the retention deadline', () => {
  const withDeadline = async (harness: Harness) => {
    harness.service.retentionDeadline = new Date(harness.time.clock.wallMs() + 5 * HOUR).toISOString();
    return readyDevice(harness);
  };

  it('wipes keys and pack offline, at the minute, and answers Expired from then on', async () => {
    const harness = createHarness();
    const device = await withDeadline(harness);
    harness.service.answer = () => Promise.reject(new Error('offline'));
    device.start();
    await harness.time.advance(4 * HOUR);
    expect(await answer(device)).toBe('Match/verified');
    for (let i = 0; i < 62; i += 1) await harness.time.advance(MINUTE);
    expect(await remains(harness)).toEqual(NOTHING);
    expect(await answer(device)).toBe('Expired/list-deadline');
    expect(device.status()).toMatchObject({ erased: 'retention-deadline', people: 0, ready: false });
  });

  it('wipes at the next start, when the device was off', async () => {
    const harness = createHarness();
    await withDeadline(harness);
    await harness.time.advance(6 * HOUR);
    harness.time.restart();
    const again = await harness.create();
    expect(await remains(harness)).toEqual(NOTHING);
    expect(await answer(again)).toBe('Expired/list-deadline');
  });

  it.each([
    ['no passive model', { passiveLiveness: null }, 'passive-liveness-missing'],
    ['a setting out of its range', { maxSyncBytes: 0 }, 'configuration-invalid'],
    ['a region without pinned keys', { region: 'EU' }, 'configuration-invalid'],
    ['a mistyped token', { deviceToken: token(1).slice(1) }, 'configuration-invalid'],
  ] as const)('wipes also at a start that %s stops', async (_what, over, code) => {
    const harness = createHarness();
    await withDeadline(harness);
    await expect(harness.create(over)).rejects.toMatchObject({ code });
    expect(await remains(harness)).toEqual({ packs: 1, listKeys: 1 });
    await harness.time.advance(6 * HOUR);
    harness.time.restart();
    await expect(harness.create(over)).rejects.toMatchObject({ code });
    expect(await remains(harness)).toEqual(NOTHING);
    expect(await answer(await harness.create())).toBe('Expired/list-deadline');
  });

  it('wipes before the engine is made, which may fail', async () => {
    const harness = createHarness();
    await withDeadline(harness);
    await harness.time.advance(6 * HOUR);
    const { service, ports } = harness;
    const config = { deviceToken: token(1), region: service.region, ports };
    const failed = new Error('no engine');
    const made = CheckInDevice.createWith(config, async () => {
      expect(await remains(harness)).toEqual(NOTHING);
      throw failed;
    });
    await expect(made).rejects.toBe(failed);
    expect(await answer(await harness.create())).toBe('Expired/list-deadline');
  });

  it('wipes at once if a sync reports it as past', async () => {
    const { harness, device } = await readyHarness();
    harness.service.retentionDeadline = new Date(harness.time.clock.wallMs() - 1).toISOString();
    expect(await device.syncAsync()).toEqual({ ok: true, outcome: 'wiped', reason: 'retention-deadline' });
    expect(await remains(harness)).toEqual(NOTHING);
  });

  it('moves with each authentic sync, earlier and later, while a person’s own stays', async () => {
    const harness = createHarness();
    const { service, time } = harness;
    const started = time.clock.wallMs();
    const movedTo = (hours: number) => {
      service.retentionDeadline = new Date(started + hours * HOUR).toISOString();
    };
    movedTo(10);
    service.enrol('short', templateOf(3), started + 4 * HOUR);
    const device = await readyDevice(harness);
    for (const hours of [6, 9]) {
      movedTo(hours);
      expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'unchanged' });
      expect(device.status().retentionDeadlineMs).toBe(started + hours * HOUR);
    }
    await time.advance(4 * HOUR);
    expect(await answer(device, 'short')).toBe('Expired/person-deadline');
    time.restart();
    const again = await harness.create();
    await time.advance(5 * HOUR - 1);
    expect(await answer(again)).toBe('Match/verified');
    await time.advance(1);
    expect(await answer(again)).toBe('Expired/list-deadline');
    expect(await remains(harness)).toEqual(NOTHING);
  });
});

describe('a person’s own deadline', () => {
  it('gives Expired, and the record is dropped from the pack, offline too', async () => {
    const harness = createHarness();
    harness.service.enrol('short', templateOf(3), harness.time.clock.wallMs() + 2 * HOUR);
    const device = await readyDevice(harness);
    const sealed = (await contentsOf(harness.ports)).packs;
    await harness.time.advance(2 * HOUR);
    expect(await answer(device, 'short')).toBe('Expired/person-deadline');
    expect(device.status().people).toBe(2);
    expect(await answer(device, 'short')).toBe('NotEnrolled/not-on-list');
    expect(await answer(device)).toBe('Match/verified');
    const { packs, listKeys } = await contentsOf(harness.ports);
    const [before = '', after = ''] = [Object.values(sealed)[0], Object.values(packs)[0]];
    expect(before.length - after.length).toBe(2 * (64 + 2 * DIMENSION));
    expect([Object.keys(packs), Object.keys(listKeys)]).toEqual([['2'], ['2']]);
  });

  it('that passes between the checks and the opening of the record prevents the opening', async () => {
    const harness = createHarness();
    const { aead } = harness.ports;
    const deadlineMs = harness.time.clock.wallMs() + 2 * HOUR;
    harness.service.enrol('short', templateOf(3), deadlineMs);
    let opened = 0;
    let armed = false;
    const ports = {
      ...intercepted(harness.ports, async (name, run) => {
        const result = await run();
        // The checks ran with an earlier time than this.
        if (armed && name === 'writeState') harness.time.setWall(deadlineMs);
        return result;
      }),
      aead: {
        ...aead,
        open: (...args: Parameters<typeof aead.open>) => {
          opened += 1;
          return aead.open(...args);
        },
      },
    };
    const device = await readyDevice(harness, { ports });
    [armed, opened] = [true, 0];
    expect(await answer(device, 'short')).toBe('Expired/person-deadline');
    expect(opened).toBe(0);
  });
});

describe('thirty days without a sync', () => {
  it('wipe everything permanently, the device’s own key too', async () => {
    const { harness, device } = await readyHarness();
    await harness.time.advance(30 * DAY - 1);
    expect(await answer(device)).toBe('LeaseExpired/lease-expired');
    expect(await harness.ports.keyStore.hasDeviceKey()).toBe(true);
    await harness.time.advance(1);
    expect(await answer(device)).toBe('LeaseExpired/no-sync-30-days');
    expect(await remains(harness)).toEqual(NOTHING);
    expect(await harness.ports.keyStore.hasDeviceKey()).toBe(false);
    const asked = harness.service.requests.length;
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'erased-for-good' });
    expect(harness.service.requests).toHaveLength(asked);
    harness.time.restart();
    expect(await (await harness.create()).syncAsync()).toEqual({ ok: false, reason: 'erased-for-good' });
  });

  it('that end during a sync are permanent too', async () => {
    const harness = createHarness();
    let meanwhile = async () => {};
    const ports = intercepted(harness.ports, async (name, run) => {
      const result = await run();
      // The last check of the answer has begun; nothing is stored yet.
      if (name === 'openListKeys') await meanwhile();
      return result;
    });
    const device = await readyDevice(harness, { ports });
    harness.service.enrol('ticket-3', templateOf(3));
    meanwhile = async () => {
      harness.time.setWall(harness.time.clock.wallMs() + 30 * DAY);
      expect(await answer(device)).toBe('LeaseExpired/no-sync-30-days');
    };
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'erased-for-good' });
    expect(await remains(harness)).toEqual(NOTHING);
    expect(await harness.ports.keyStore.hasDeviceKey()).toBe(false);
    expect(await answer(device)).toBe('LeaseExpired/no-sync-30-days');
  });
});

describe('an order to wipe', () => {
  it.each([
    ['device-revoked', 'LeaseExpired/device-revoked', false],
    ['list-deleted', 'LeaseExpired/list-deleted', true],
    ['account-suspended', 'LeaseExpired/account-suspended', true],
    ['retention-deadline', 'Expired/list-deadline', true],
  ] as const)('for %s is obeyed', async (reason, expected, keepsDeviceKey) => {
    const { harness, device } = await readyHarness();
    harness.service.wipe = reason;
    expect(await device.syncAsync()).toEqual({ ok: true, outcome: 'wiped', reason });
    expect(await remains(harness)).toEqual(NOTHING);
    expect(await harness.ports.keyStore.hasDeviceKey()).toBe(keepsDeviceKey);
    expect(await answer(device)).toBe(expected);
    harness.time.restart();
    expect(await answer(await harness.create())).toBe(expected);
  });

  it('is carried out key first: intent, key of the log, keys, device key, packs, tombstone', async () => {
    const harness = createHarness();
    const order: string[] = [];
    const ports = intercepted(harness.ports, (name, run) => {
      if (/^(write|delete)/.test(name)) order.push(name);
      return run();
    });
    const device = await readyDevice(harness, { ports });
    harness.service.wipe = 'device-revoked';
    order.length = 0;
    await device.syncAsync();
    const [clockMark, ...wipe] = order;
    expect(clockMark).toBe('writeState');
    expect(wipe).toEqual([
      'writeState',
      'deleteAdmissionKey',
      'deleteListKeys',
      'deleteDeviceKey',
      'deletePack',
      'writeState',
    ]);
  });

  it('after a suspension allows the list to return, but not an older one', async () => {
    const { harness, device } = await readyHarness();
    harness.service.wipe = 'account-suspended';
    await device.syncAsync();
    harness.service.wipe = null;
    harness.service.version = 1;
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'version-rolled-back' });
    harness.service.version = 3;
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 2 });
    expect(await answer(device)).toBe('Match/verified');
  });
});
