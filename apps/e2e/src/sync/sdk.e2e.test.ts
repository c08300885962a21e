import { join } from 'node:path';
import { openSigningAdmin } from '@svc/api';
import { testModels } from '@svc/api/testing';
import { parseEnvelope } from '@svc/core/pack';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import type { FaceEngine } from '@svc/face-engine';
import { expect, it } from 'vitest';
import { type Service, startService, syncDeviceOf } from '../support/service.ts';

/** A device with an engine of names only: no camera is opened here. */
const openDevice = (deviceToken: string, region: Service['region'], directory: string) => {
  const { base } = testModels;
  const parts = { engineId: base.engineId, recipes: [base], core: { kind: 'simd' }, prepare: async () => {} };
  return createNodeCheckInDevice({
    ...{ deviceToken, region, directory, passiveLiveness: 'absent-staff-in-view' },
    engine: { engine: parts as unknown as FaceEngine, passiveLiveness: null },
  });
};

it('a signing key changes over without a refused sync, also after a restart with the former one pinned', async () => {
  const service = await startService({ clock: Date });
  const directory = temporaryFolder();
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
});
