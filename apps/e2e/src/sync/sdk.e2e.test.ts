import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSigningAdmin } from '@svc/api';
import { dropEmptyEpochs, testModels } from '@svc/api/testing';
import { parseEnvelope } from '@svc/core/pack';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { type FaceEngine, minifasnetCalibration, type PassiveLiveness } from '@svc/face-engine';
import { expect, it } from 'vitest';
import { type Service, startService, syncDeviceOf } from '../support/service.ts';

const passive = { name: 'minifasnet', calibration: minifasnetCalibration, score() {}, dispose() {} };

/** A device with an engine of names only: no camera is opened here. */
const openDevice = (
  deviceToken: string,
  region: Service['region'],
  directory: string,
  prepare: (engineIds: readonly string[]) => Promise<unknown> = async () => {},
  passiveLiveness: PassiveLiveness | null = null,
) => {
  const { base, addOn } = testModels;
  const { engineId } = base;
  const engine = { engineId, recipes: [addOn, base], core: { kind: 'simd' }, prepare } as unknown as FaceEngine;
  return createNodeCheckInDevice({
    ...{ deviceToken, region, directory },
    ...(passiveLiveness === null ? { passiveLiveness: 'absent-staff-in-view' } : {}),
    engine: { engine, passiveLiveness },
  });
};

it('a living list becomes unattended and back: devices that can serve that go on, others hold nothing meanwhile', async () => {
  const service = await startService({ clock: Date });
  const directory = await mkdtemp(join(tmpdir(), 'svc-sdk-'));
  const listId = await service.createList();
  await service.enrol(listId, 'T-1');
  const open = async (name: string, checks: unknown) => {
    const { token } = await service.addDevice(listId);
    return openDevice(token, service.region, join(directory, name), undefined, checks as PassiveLiveness | null);
  };
  const [able, unable] = [await open('able', passive), await open('unable', null)];
  // A device of 0.2, which says nothing of it.
  const older = syncDeviceOf(service.api, (await service.addDevice(listId)).token);
  const isStaffed = async () => {
    expect((await older.sync()).manifest).toMatchObject({ recordCount: 1, attendance: 'staffed' });
    for (const device of [able, unable]) {
      expect(await device.syncAsync()).toMatchObject({ ok: true, people: 1 });
      expect(device.status()).toMatchObject({ attendance: 'staffed', ready: true });
    }
  };
  const reason = 'unattended-unsupported';
  await isStaffed();
  await service.call('PATCH', `/v1/lists/${listId}`, { attendance: 'unattended' });
  expect(await older.ask()).toMatchObject({ status: 422, code: 'device-unsuited' });
  expect(await able.syncAsync()).toMatchObject({ ok: true, outcome: 'unchanged', people: 1 });
  expect(able.status()).toMatchObject({ attendance: 'unattended', ready: true });
  for (const device of [unable, await open('new', null)]) {
    expect(await device.syncAsync()).toEqual({ ok: true, outcome: 'wiped', reason });
    expect(device.status()).toMatchObject({ people: 0, erased: reason, notReady: { outcome: 'LeaseExpired', reason } });
    if (device !== unable) await device.dispose();
  }
  await service.call('PATCH', `/v1/lists/${listId}`, { attendance: 'staffed' });
  await isStaffed();
  for (const device of [able, unable]) await device.dispose();
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

it("the SDK follows a change of the list's model: both models, the new one only, and back", async () => {
  const { base, addOn } = testModels;
  const service = await startService({ clock: Date });
  const directory = await mkdtemp(join(tmpdir(), 'svc-sdk-'));
  const listId = await service.createList();
  for (const personId of ['T-1', 'T-2']) await service.enrol(listId, personId);
  /** What the engine is prepared for. */
  const prepared: string[][] = [];
  const prepare = async (engineIds: readonly string[]) => prepared.push([...engineIds]);
  const device = await openDevice((await service.addDevice(listId)).token, service.region, directory, prepare);
  const sync = async (people: number) => {
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people });
  };
  const changeModel = (modelId: string) => service.call('POST', `/v1/lists/${listId}/change-model`, { modelId });
  const wanted = () => [...(prepared.at(-1) ?? [])].sort();
  await sync(2);
  await changeModel(addOn.modelId);
  await sync(2);
  await service.enrol(listId, 'T-1');
  await sync(2);
  await expect.poll(wanted).toEqual([base.engineId, addOn.engineId]);
  await service.enrol(listId, 'T-2');
  await service.enrol(listId, 'T-3');
  await sync(3);
  expect(await dropEmptyEpochs(service.api.config)).toBe(1);
  await sync(3);
  await expect.poll(wanted).toEqual([addOn.engineId]);
  await changeModel(base.modelId);
  await service.enrol(listId, 'T-1');
  await sync(3);
  await expect.poll(wanted).toEqual([base.engineId, addOn.engineId]);
  expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'unchanged', people: 3 });
  await device.dispose();
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

it('a signing key changes over without a refused sync, also after a restart with the former one pinned', async () => {
  const service = await startService({ clock: Date });
  const directory = await mkdtemp(join(tmpdir(), 'svc-sdk-'));
  const listId = await service.createList();
  const [{ token }, { token: other }] = [await service.addDevice(listId), await service.addDevice(listId)];
  const { region } = service;
  const device = await openDevice(token, region, directory);
  const goesOn = async (at = device) => expect(await at.syncAsync()).toMatchObject({ ok: true });
  await goesOn();

  // As an operator does: a second key is announced, backdated so that every node uses it, then signs, then is the only one.
  const operator = await openSigningAdmin(service.api.config, { clock: { now: () => Date.now() - 120_000 } });
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
  const again = await openDevice(token, region, directory);
  await goesOn(again);
  await again.dispose();
  // A device that missed the change cannot continue with the former key.
  const late = await openDevice((await service.addDevice(listId)).token, region, join(directory, 'late'));
  expect(await late.syncAsync()).toEqual({ ok: false, reason: 'unknown-signing-key' });
  await late.dispose();
  await service.close();
  await rm(directory, { recursive: true, force: true });
});
