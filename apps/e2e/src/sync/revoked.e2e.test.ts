import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveLookupKey, lookupTag, openRecord, parsePack } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import type { FaceEngine } from '@svc/face-engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDevice, type VerifiedAnswer } from './device.ts';
import { type Organiser, startTestService, type TestService } from './service.ts';

let service: TestService;
let organiser: Organiser;
let root: string;

beforeAll(async () => {
  service = await startTestService(Date.now());
  organiser = await service.createOrganiser();
  root = await mkdtemp(join(tmpdir(), 'svc-revoked-'));
});
afterAll(async () => {
  await service.close();
  await rm(root, { recursive: true, force: true });
});

/** Every list key of an answer. */
const keysOf = (device: TestDevice, answer: VerifiedAnswer) =>
  answer.manifest.epochs.map(({ epoch }) => device.openListKey(answer, epoch));

const revoke = async (listId: string, id: string) => {
  expect((await organiser.call('DELETE', `/v1/lists/${listId}/devices/${id}`)).status).toBe(204);
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

describe('the keys of a revoked device', () => {
  it('open nothing enrolled afterwards, while the other devices continue', async () => {
    const { listId } = await organiser.createList();
    const names = ['before', 'replaced', 'after'];
    for (const name of ['before', 'replaced']) expect((await organiser.enrol(listId, name)).status).toBe(201);
    const [lost, kept] = [await organiser.addDevice(listId), await organiser.addDevice(listId)];
    const [thief, door] = [new TestDevice(service, lost.token), new TestDevice(service, kept.token)];
    const stolen = keysOf(thief, await thief.sync());
    const before = await door.sync();
    expect(await readable(before.payload, stolen, names)).toEqual(['before', 'replaced']);

    await revoke(listId, lost.id);
    for (const name of ['replaced', 'after']) expect((await organiser.enrol(listId, name, 'again')).status).toBe(201);
    const answer = await door.sync();
    expect(answer.manifest.epochs.map(({ epoch }) => epoch)).toEqual([2, 1]);
    expect(await readable(answer.payload, keysOf(door, answer), names)).toEqual(['after', 'before', 'replaced']);
    expect(await readable(answer.payload, stolen, names)).toEqual(['before']);
    expect((await thief.sync()).manifest).toMatchObject({ command: 'wipe', reason: 'device-revoked', epochs: [] });
  });

  it('do not exist if it never synced: no new epoch is opened', async () => {
    const { listId } = await organiser.createList();
    const [unused, kept] = [await organiser.addDevice(listId), await organiser.addDevice(listId)];
    await revoke(listId, unused.id);
    const door = new TestDevice(service, kept.token);
    expect((await door.sync()).manifest.epochs.map(({ epoch }) => epoch)).toEqual([1]);
  });

  it('cause no epochs into which nobody was enrolled', async () => {
    const { listId } = await organiser.createList();
    const kept = await organiser.addDevice(listId);
    for (let i = 0; i < 4; i += 1) {
      const { id, token } = await organiser.addDevice(listId);
      await new TestDevice(service, token).sync();
      await revoke(listId, id);
    }
    const door = new TestDevice(service, kept.token);
    expect((await door.sync()).manifest.epochs.map(({ epoch }) => epoch)).toEqual([5]);
  });

  it('include no later epoch, even if it syncs while being revoked', async () => {
    const { listId } = await organiser.createList();
    await organiser.enrol(listId, 'before');
    for (let round = 0; round < 6; round += 1) {
      const { id, token } = await organiser.addDevice(listId);
      const device = new TestDevice(service, token);
      const [, ...answers] = await Promise.all([
        revoke(listId, id),
        ...Array.from({ length: 4 }, () => device.sync().catch(() => null)),
      ]);
      const name = `after-${round}`;
      expect((await organiser.enrol(listId, name)).status).toBe(201);
      const keys = answers.flatMap((answer) => (answer === null ? [] : keysOf(device, answer)));
      const kept = await organiser.addDevice(listId);
      const whole = await new TestDevice(service, kept.token).sync();
      expect(await readable(whole.payload, keys, [name])).toEqual([]);
    }
  });
});

describe('a copied device', () => {
  /** No camera is opened here, so a name is enough of an engine. */
  const engine = () =>
    ({
      engineId: service.engineId,
      recipes: [{ engineId: service.engineId }],
      core: { kind: 'simd' },
      prepare: async () => {},
    }) as unknown as FaceEngine;
  const open = (deviceToken: string, folder: string) =>
    createNodeCheckInDevice({
      deviceToken,
      region: { baseUrl: service.url, signingKeys: [service.signingKey] },
      directory: join(root, folder),
      passiveLiveness: 'absent-staff-in-view',
      engine: { engine: engine(), passiveLiveness: null },
    });
  const copiedAt = async (listId: string, id: string) => {
    const { body } = await organiser.call('GET', `/v1/lists/${listId}/devices`);
    const items = body.items as { id: string; copiedAt: string | null }[];
    return items.find((item) => item.id === id)?.copiedAt;
  };
  const sync = async (deviceToken: string, folder: string) => {
    const device = await open(deviceToken, folder);
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    await device.dispose();
  };

  it('is reported at its second sync, and works until it is revoked', async () => {
    const { listId } = await organiser.createList();
    await organiser.enrol(listId, 'guest');
    const { id, token } = await organiser.addDevice(listId);
    for (let i = 0; i < 3; i += 1) await sync(token, 'original');
    await cp(join(root, 'original'), join(root, 'copy'), { recursive: true });
    await sync(token, 'original');
    await sync(token, 'copy');
    await sync(token, 'original');
    expect(await copiedAt(listId, id)).toBeNull();
    await sync(token, 'copy');
    expect(Date.parse((await copiedAt(listId, id)) ?? '')).toBeLessThanOrEqual(service.clock.nowMs);
    await sync(token, 'original');
    await revoke(listId, id);
    expect(await (await open(token, 'copy')).syncAsync()).toMatchObject({ outcome: 'wiped' });
  });

  it('is not reported for a device that was moved, lost answers, or sends no numbers', async () => {
    const { listId } = await organiser.createList();
    const { id, token } = await organiser.addDevice(listId);
    await sync(token, 'here');
    await cp(join(root, 'here'), join(root, 'there'), { recursive: true });
    for (let i = 0; i < 3; i += 1) await sync(token, 'there');
    expect(await copiedAt(listId, id)).toBeNull();
    const other = await organiser.addDevice(listId);
    const device = new TestDevice(service, other.token);
    const ask = async (counter?: string) =>
      (await device.sync(counter === undefined ? {} : { headers: { 'Svc-Sync-Counter': counter } })).manifest
        .syncCounter;
    const first = await ask();
    expect(await ask()).toBe((first ?? 0) + 1);
    const next = String(await ask());
    for (let i = 0; i < 3; i += 1) await ask(next);
    await ask(String(await ask(next)));
    expect(await copiedAt(listId, other.id)).toBeNull();
    expect((await device.ask({ headers: { 'Svc-Sync-Counter': '-1' } })).code).toBe('invalid-request');
  });
});
