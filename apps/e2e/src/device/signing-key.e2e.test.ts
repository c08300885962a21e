import { expect, it } from 'vitest';
import { changeSigningKey } from '../support/change-signing-key.ts';
import { guests, photoOf, ticketOf } from '../support/guests.ts';
import { cameraOf } from '../support/scenarios.ts';
import { startService } from '../support/service.ts';
import { openDoorway } from './door.ts';

it('a signing key that changes over under a running door has no visit refused, nor after a restart with the former one pinned', async () => {
  const [service, doorway] = await Promise.all([startService(), openDoorway()]);
  const listId = await service.createList();
  expect((await service.enrol(listId, ticketOf('anna'), await photoOf('anna'))).status).toBe(201);
  const [{ token }, beside] = [await service.addDevice(listId), await service.addDevice(listId)];
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
  await changeSigningKey(service.api, beside.token, goesOn);
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
