import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testModels } from '@svc/api/testing';
import type { Transport } from '@svc/device-sdk';
import { createFetchTransport } from '@svc/device-sdk/adapters';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import type { FaceEngine } from '@svc/face-engine';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Organiser, startTestService, type TestService } from './service.ts';

let service: TestService;
let organiser: Organiser;
let root: string;

beforeAll(async () => {
  service = await startTestService(Date.now());
  organiser = await service.createOrganiser();
  root = await mkdtemp(join(tmpdir(), 'svc-sdk-'));
});
afterAll(async () => {
  await service.close();
  await rm(root, { recursive: true, force: true });
});

/** No camera is opened here: an engine of names only, which records what it is prepared for. */
function nameEngine(prepared: string[][] = []): FaceEngine {
  const { base, addOn } = testModels;
  const prepare = async (engineIds: readonly string[]) => {
    prepared.push([...engineIds]);
  };
  const core = { kind: 'simd' };
  return { engineId: base.engineId, recipes: [addOn, base], core, prepare } as unknown as FaceEngine;
}

/** The SDK's device. */
function open(
  deviceToken: string,
  folder: string,
  signingKey = service.signingKey,
  transport = createFetchTransport(),
  engine = nameEngine(),
) {
  return createNodeCheckInDevice({
    transport,
    deviceToken,
    region: { baseUrl: service.url, signingKeys: [signingKey] },
    directory: join(root, folder),
    passiveLiveness: 'absent-staff-in-view',
    engine: { engine, passiveLiveness: null },
  });
}

/** Records the payload kind of each envelope (docs/sync.md: the byte after the magic). */
function noting(kinds: number[]): Transport {
  const transport = createFetchTransport();
  return async (request) => {
    const answer = await transport(request);
    async function* body() {
      let at = 0;
      for await (const chunk of answer.body) {
        if (at <= 8 && 8 < at + chunk.length) kinds.push(chunk[8 - at] ?? -1);
        at += chunk.length;
        yield chunk;
      }
    }
    return { ...answer, body: body() };
  };
}

describe('the SDK against the service', () => {
  it('applies changes, stores them in files, and continues after restarts', async () => {
    const { listId } = await organiser.createList();
    for (let i = 0; i < 6; i += 1) await organiser.enrol(listId, `T-${i}`);
    const { id, token } = await organiser.addDevice(listId);
    const kinds: number[] = [];
    const reopened = () => open(token, 'changes', undefined, noting(kinds));
    const first = await reopened();
    expect(await first.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 6 });
    await vi.waitFor(
      async () => {
        const { body } = await organiser.call('GET', `/v1/lists/${listId}/devices`);
        const items = body.items as { id: string; lastSyncAt: string | null }[];
        expect(items.find((item) => item.id === id)?.lastSyncAt).not.toBeNull();
      },
      { timeout: 30_000, interval: 100 },
    );
    await organiser.enrol(listId, 'T-6');
    await organiser.call('DELETE', `/v1/lists/${listId}/people/T-0?reason=consent-withdrawn`);
    expect(await first.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 6 });
    await first.dispose();

    const second = await reopened();
    expect(second.status()).toMatchObject({ ready: true, people: 6 });
    await organiser.enrol(listId, 'T-1', 'another face');
    expect(await second.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people: 6 });
    expect(await second.syncAsync()).toMatchObject({ ok: true, outcome: 'unchanged', people: 6 });
    expect(kinds).toEqual([1, 2, 2, 0]);
    await second.dispose();
  });

  it("follows a change of the list's model: both models, the new one only, and back", async () => {
    const { base, addOn } = testModels;
    const { listId } = await organiser.createList();
    for (const personId of ['T-1', 'T-2']) await organiser.enrol(listId, personId);
    const { token } = await organiser.addDevice(listId);
    const prepared: string[][] = [];
    const device = await open(token, 'models', undefined, undefined, nameEngine(prepared));
    const sync = async (people: number) => {
      expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated', people });
    };
    const changeModel = (modelId: string) =>
      organiser.call('POST', `/v1/lists/${listId}/change-model`, { modelId }).then(({ status }) => status);
    const wanted = () => [...(prepared.at(-1) ?? [])].sort();
    await sync(2);
    expect(await changeModel(addOn.modelId)).toBe(200);
    await sync(2);
    await organiser.enrol(listId, 'T-1');
    await sync(2);
    await expect.poll(wanted).toEqual([base.engineId, addOn.engineId]);
    await organiser.enrol(listId, 'T-2');
    await organiser.enrol(listId, 'T-3');
    await sync(3);
    expect(await service.dropEmptyEpochs()).toBe(1);
    await sync(3);
    await expect.poll(wanted).toEqual([addOn.engineId]);
    expect(await changeModel(base.modelId)).toBe(200);
    await organiser.enrol(listId, 'T-1');
    await sync(3);
    await expect.poll(wanted).toEqual([base.engineId, addOn.engineId]);
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'unchanged', people: 3 });
    await device.dispose();
  });
});
