import { openSigningAdmin } from '@svc/api';
import { parseEnvelope } from '@svc/core/pack';
import { expect, it } from 'vitest';
import { guests, photoOf, ticketOf } from '../support/guests.ts';
import { cameraOf } from '../support/scenarios.ts';
import { startService, syncDeviceOf } from '../support/service.ts';
import { openDoorway } from './door.ts';

/** Backdates the announcement, so that every node uses it. */
const AGO_MS = 120_000;

it('a signing key that changes over under a running door has no visit refused, nor after a restart with the former one pinned', async () => {
  const [service, doorway] = await Promise.all([startService(), openDoorway()]);
  const listId = await service.createList();
  expect((await service.enrol(listId, ticketOf('anna'), await photoOf('anna'))).status).toBe(201);
  const [{ token }, { token: other }] = [await service.addDevice(listId), await service.addDevice(listId)];
  const { region } = service;
  const open = () => doorway.openDevice(token, region, 'gate');
  let device = await open();
  const goesOn = async () => {
    const [sync, { outcome, reason }] = await Promise.all([
      device.syncAsync(),
      device.verifyLiveAsync(ticketOf('anna'), cameraOf({ seed: guests.anna }, 4)),
    ]);
    expect([sync.ok, `${outcome}/${reason}`]).toEqual([true, 'Match/verified']);
  };
  expect(await device.syncAsync()).toMatchObject({ ok: true });

  // As an operator does: a second key is announced, then signs, then is the only one.
  const operator = await openSigningAdmin(service.api.config, { clock: { now: () => Date.now() - AGO_MS } });
  const beside = syncDeviceOf(service.api, other);
  const served = async () => {
    const { keyId, manifest } = parseEnvelope(new Uint8Array((await beside.ask()).body));
    const { signingKeys } = JSON.parse(new TextDecoder().decode(manifest)) as {
      readonly signingKeys: readonly string[];
    };
    return [keyId, signingKeys.length];
  };
  /** Waits until the service has taken a change up. */
  const isServed = (keyId: string | undefined, told: number) =>
    expect.poll(served, { timeout: 60_000, interval: 250 }).toEqual([keyId, told]);
  const former = (await operator.status()).keys[0]?.keyId;
  const next = (await operator.create({ lost: false })).status.keys.at(-1)?.keyId;
  expect(next).not.toBe(former);
  await isServed(former, 2);
  await goesOn();
  // The second device ignores announcements and must not block the operator.
  await operator.rotate({ force: true });
  await isServed(next, 2);
  await goesOn();
  await operator.retire();
  await isServed(next, 1);
  await goesOn();
  await operator.close();

  await device.dispose();
  device = await open();
  await goesOn();
  await device.dispose();
  // A device that missed the change cannot continue with the former key.
  const late = await doorway.openDevice((await service.addDevice(listId)).token, region, 'late');
  expect(await late.syncAsync()).toEqual({ ok: false, reason: 'unknown-signing-key' });
  await late.dispose();
  await doorway.close();
  await service.close();
});
