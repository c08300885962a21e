import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropEmptyEpochs, testModels } from '@svc/api/testing';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import type { FaceEngine } from '@svc/face-engine';
import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';

it("the SDK follows a change of the list's model: both models, the new one only, and back", async () => {
  const { base, addOn } = testModels;
  const service = await startService({ clock: Date });
  const directory = await mkdtemp(join(tmpdir(), 'svc-sdk-'));
  const listId = await service.createList();
  for (const personId of ['T-1', 'T-2']) await service.enrol(listId, personId);
  /** What the engine is prepared for. */
  const prepared: string[][] = [];
  // No camera is opened here: an engine of names only.
  const engine = {
    ...{ engineId: base.engineId, recipes: [addOn, base], core: { kind: 'simd' } },
    prepare: async (engineIds: readonly string[]) => prepared.push([...engineIds]),
  } as unknown as FaceEngine;
  const device = await createNodeCheckInDevice({
    ...{ deviceToken: (await service.addDevice(listId)).token, region: service.region, directory },
    ...{ passiveLiveness: 'absent-staff-in-view', engine: { engine, passiveLiveness: null } },
  });
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
