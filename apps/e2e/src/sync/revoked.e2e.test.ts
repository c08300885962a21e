import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { testModels } from '@svc/api/testing';
import { newDeviceKey, type SyncDevice, type VerifiedAnswer } from '@svc/benchmarks/inputs/sync-device';
import { deriveLookupKey, lookupTag, openRecord, parsePack } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import type { FaceEngine } from '@svc/face-engine';
import { afterAll, describe, expect, it } from 'vitest';
import { startService, syncDeviceOf } from '../support/service.ts';

const root = temporaryFolder();
const service = await startService({ clock: Date });
afterAll(() => service.close());

/** Every list key of an answer. */
const keysOf = (device: SyncDevice, answer: VerifiedAnswer) =>
  Promise.all(answer.manifest.epochs.map(({ epoch }) => device.openListKey(answer, epoch)));

const add = async (listId: string) => {
  const { id, token } = await service.addDevice(listId);
  return { id, token, device: syncDeviceOf(service.api, token) };
};

/**
 * The people of a whole pack that can be read with these keys by somebody who knows every name; recognised tags count
 * too.
 */
async function readable(pack: Uint8Array, keys: readonly Uint8Array[], personIds: readonly string[]) {
  const aead = createNodeAead();
  const parsed = parsePack(pack);
  const found = new Set<string>();
  for (const { epoch, engineId, dimension, find } of parsed.epochs) {
    for (const listKey of keys) {
      for (const personId of personIds) {
        const record = find(lookupTag(deriveLookupKey(listKey), personId));
        if (record === null) continue;
        const binding = { listKey, listId: parsed.listId, epoch, engineId, dimension, personId, record };
        await openRecord(aead, binding).then(
          () => found.add(personId),
          () => found.add(`tag of ${personId}`),
        );
      }
    }
  }
  return [...found].sort();
}

describe('the key of a device', () => {
  it('is pinned at its first sync only: a stolen token alone fetches nothing', async () => {
    const listId = await service.createList();
    const { device } = await add(listId);
    const keys = Array.from({ length: 6 }, () => newDeviceKey());
    const answers = await Promise.all(keys.map((key) => device.ask({ key })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const key = keys[answers.findIndex(({ status }) => status === 200)];
    expect((await device.ask({ ...(key && { key }) })).status).toBe(200);
    const { status, code, body } = await device.ask();
    expect([status, code]).toEqual([409, 'device-key-mismatch']);
    expect(body.toString('utf8')).not.toContain(listId);
  });

  it('opens the list key alone; the records are the same for all, and the answer is for no intermediary', async () => {
    const listId = await service.createList();
    await service.enrol(listId, 'guest');
    const [{ device: one }, { device: two }] = [await add(listId), await add(listId)];
    const [a, b] = [await one.sync(), await two.sync()];
    expect(Buffer.compare(a.payload, b.payload)).toBe(0);
    expect(await one.openListKey(a)).toEqual(await two.openListKey(b));
    await expect(two.openListKey(a)).rejects.toThrow();
    const { headers, body } = await one.ask();
    const named = (name: string) => headers.get(name);
    expect([named('cache-control'), named('content-encoding')]).toEqual(['no-store', null]);
    expect([named('content-length'), named('x-content-type-options')]).toEqual([String(body.length), 'nosniff']);
  });
});

describe('the keys of a revoked device', () => {
  it('open nothing enrolled afterwards, while the other devices continue', async () => {
    const listId = await service.createList();
    const names = ['before', 'replaced', 'after'];
    for (const name of ['before', 'replaced']) expect((await service.enrol(listId, name)).status).toBe(201);
    const [{ id, device: thief }, { device: door }] = [await add(listId), await add(listId)];
    const stolen = await keysOf(thief, await thief.sync());
    const before = await door.sync();
    expect(await readable(before.payload, stolen, names)).toEqual(['before', 'replaced']);

    await service.revoke(listId, id);
    for (const name of ['replaced', 'after']) expect((await service.enrol(listId, name)).status).toBe(201);
    const answer = await door.sync();
    expect(answer.manifest.epochs.map(({ epoch }) => epoch)).toEqual([2, 1]);
    expect(await readable(answer.payload, await keysOf(door, answer), names)).toEqual(['after', 'before', 'replaced']);
    expect(await readable(answer.payload, stolen, names)).toEqual(['before']);
    expect((await thief.sync()).manifest).toMatchObject({ command: 'wipe', reason: 'device-revoked', epochs: [] });
  });

  it('include no later epoch, even if it syncs while being revoked', async () => {
    const listId = await service.createList();
    await service.enrol(listId, 'before');
    for (let round = 0; round < 6; round += 1) {
      const { id, device } = await add(listId);
      const [, ...answers] = await Promise.all([
        service.revoke(listId, id),
        ...Array.from({ length: 4 }, () => device.sync().catch(() => null)),
      ]);
      const name = `after-${round}`;
      expect((await service.enrol(listId, name)).status).toBe(201);
      const opened = answers.filter((answer) => answer !== null).map((answer) => keysOf(device, answer));
      const keys = (await Promise.all(opened)).flat();
      const whole = await (await add(listId)).device.sync();
      expect(await readable(whole.payload, keys, [name])).toEqual([]);
    }
  });
});

describe('a copied device', () => {
  /** No camera is opened here, so a name is enough of an engine. */
  const { engineId } = testModels.base;
  const core = { kind: 'simd' };
  const engine = { engineId, recipes: [testModels.base], core, prepare: async () => {} } as unknown as FaceEngine;
  const open = (deviceToken: string, folder: string) =>
    createNodeCheckInDevice({
      deviceToken,
      region: service.region,
      directory: join(root, folder),
      passiveLiveness: 'absent-staff-in-view',
      engine: { engine, passiveLiveness: null },
    });
  const copiedAt = async (listId: string, id: string) => {
    type Items = { items: { id: string; copiedAt: string | null }[] };
    const { items } = await service.call<Items>('GET', `/v1/lists/${listId}/devices`);
    return items.find((item) => item.id === id)?.copiedAt;
  };
  const sync = async (deviceToken: string, folder: string) => {
    const device = await open(deviceToken, folder);
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    await device.dispose();
  };

  it('is reported at its second sync, and works until it is revoked', async () => {
    const listId = await service.createList();
    await service.enrol(listId, 'guest');
    const { id, token } = await service.addDevice(listId);
    for (let i = 0; i < 3; i += 1) await sync(token, 'original');
    await cp(join(root, 'original'), join(root, 'copy'), { recursive: true });
    await sync(token, 'original');
    await sync(token, 'copy');
    await sync(token, 'original');
    expect(await copiedAt(listId, id)).toBeNull();
    await sync(token, 'copy');
    expect(Date.parse((await copiedAt(listId, id)) ?? '')).toBeLessThanOrEqual(Date.now());
    await sync(token, 'original');
    await service.revoke(listId, id);
    expect(await (await open(token, 'copy')).syncAsync()).toMatchObject({ outcome: 'wiped' });
  });

  it('is not reported for a device that was moved', async () => {
    const listId = await service.createList();
    const { id, token } = await service.addDevice(listId);
    await sync(token, 'here');
    await cp(join(root, 'here'), join(root, 'there'), { recursive: true });
    for (let i = 0; i < 3; i += 1) await sync(token, 'there');
    expect(await copiedAt(listId, id)).toBeNull();
  });
});
