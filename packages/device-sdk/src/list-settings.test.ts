import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { checkInSecretSealInfo, listKeySealInfo } from '@svc/core/pack';
import { DEVICE_KEY_HEADER } from '@svc/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Camera } from './attempt/camera.ts';
import { fromBase64Url } from './platform/bytes.ts';
import {
  answer,
  createHarness,
  type Harness,
  NOTHING,
  readyDevice,
  recorded,
  remains,
  visit,
} from './testing/device-harness.ts';
import { templateOf } from './testing/fake-engine.ts';
import { sealedFor } from './testing/fake-service.ts';
import { other } from './testing/hostile-cases.ts';
import { atEveryWrite, contentsOf } from './testing/watched-stores.ts';

const names = { event: 'Summer concert', list: 'Guests', device: 'North gate 3' };
const url = 'https://example.com/check-ins';
const secretOf = (value: number) => new Uint8Array(32).fill(value);
const message = new TextEncoder().encode('msg_1.1.{}');
const signatureOf = (value: number) => Buffer.from(hmac(sha256, secretOf(value), message)).toString('hex');

let harness: Harness;
beforeEach(() => {
  harness = createHarness();
});

/** What each stored generation signs with. */
async function signatures(): Promise<readonly (string | null)[]> {
  const { keyStore } = harness.ports;
  const found: (string | null)[] = [];
  for (const generation of await keyStore.listKeyGenerations()) {
    const keys = await keyStore.listKeys(generation);
    const signed = (await keys?.signCheckIn(message)) ?? null;
    keys?.wipe();
    found.push(signed === null ? null : Buffer.from(signed).toString('hex'));
  }
  return found;
}

describe('the names of a list and its policy of re-entry', () => {
  it('are in the status, and change with a sync that changes nothing else', async () => {
    harness.service.names = names;
    harness.service.reEntry = 'warn';
    const device = await readyDevice(harness);
    expect(device.status()).toMatchObject({ names, reEntry: 'warn' });
    harness.service.names = { ...names, event: null };
    harness.service.reEntry = 'refuse';
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'unchanged' });
    expect(device.status()).toMatchObject({ names: { ...names, event: null }, reEntry: 'refuse' });
  });
});

describe('an unattended list', () => {
  const old = () => {
    const { passive } = harness.engine;
    return { passiveLiveness: { ...passive, calibration: { ...passive.calibration, evidence: null } } };
  };
  const withoutPassive = { passiveLiveness: 'absent-staff-in-view' } as const;
  const asked = () => harness.service.requests.at(-1)?.headers['Svc-Attendances'];
  const unsupported = { outcome: 'LeaseExpired', reason: 'unattended-unsupported' };
  const wiped = { ok: true, outcome: 'wiped', reason: 'unattended-unsupported' };

  it('is taken by a device that says it can serve it, and told in the status; changes of the setting follow', async () => {
    const before = await harness.create();
    expect(before.status()).toMatchObject({ attendance: null, unattended: { able: true, missing: [] } });
    await before.dispose();
    const device = await readyDevice(harness);
    expect([asked(), device.status().attendance]).toEqual(['staffed, unattended', 'staffed']);
    for (const attendance of ['unattended', 'staffed'] as const) {
      harness.service.attendance = attendance;
      expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'unchanged' });
      expect(device.status()).toMatchObject({ attendance, ready: true, people: 2 });
    }
  });

  it('stays one where a node of 0.2, which knows no attendance, answers a sync', async () => {
    harness.service.attendance = 'unattended';
    const device = await readyDevice(harness);
    harness.service.attendance = null;
    harness.service.enrol('new', templateOf(4));
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated' });
    expect(device.status()).toMatchObject({ attendance: 'unattended', people: 3 });
    harness.service.attendance = 'staffed';
    await device.syncAsync();
    expect(device.status().attendance).toBe('staffed');
  });

  it.each([
    ['no-passive-model', () => withoutPassive],
    ['old-passive-model', old],
  ] as const)('leaves nothing on a device with %s, which serves it again once staff watch', async (lack, over) => {
    harness.service.reEntry = 'refuse';
    const device = await readyDevice(harness, over());
    expect([asked(), await answer(device)]).toEqual(['staffed', 'Match/verified']);
    harness.service.attendance = 'unattended';
    expect(await device.syncAsync()).toEqual(wiped);
    expect(await remains(harness)).toEqual(NOTHING);
    expect(device.status()).toMatchObject({
      ...{ ready: false, notReady: unsupported, people: 0, erased: 'unattended-unsupported', attendance: null },
      unattended: { able: false, missing: [lack] },
    });
    expect(await answer(device)).toBe('LeaseExpired/unattended-unsupported');
    harness.service.attendance = 'staffed';
    expect(await device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated' });
    expect(device.status()).toMatchObject({ ready: true, people: 2, attendance: 'staffed' });
    // Whom it let in before, it still knows.
    expect(await answer(device)).toBe('NoMatch/already-let-in');
  });

  it('is not stored by a device that never had it, whatever word of a newer policy the service sends', async () => {
    harness.service.bend = (draft) => {
      draft.manifest = { ...draft.manifest, attendance: 'remote' as 'unattended' };
    };
    harness.service.enrol('ticket-1', templateOf(1));
    const device = await harness.create(withoutPassive);
    expect(await device.syncAsync()).toEqual(wiped);
    expect(await remains(harness)).toEqual(NOTHING);
  });

  it('lets in with a witness and before a real camera alone, and with no word of staff', async () => {
    harness.service.attendance = 'unattended';
    const device = await readyDevice(harness);
    expect(device.status().protections).toMatchObject({ attendance: 'unattended', light: 'when-possible' });
    expect(await answer(device)).toBe('LivenessFailed/camera-unproven');
    const camera = { ...recorded(visit(1, 'left')), origin: 'device' } as const;
    const { outcome, protections } = await device.verifyLiveAsync('ticket-1', camera);
    expect(outcome).toBe('Match');
    expect(protections).toMatchObject({ attendance: 'unattended', witness: 'room', light: 'off' });
    harness.service.headTurnAlternative = 'staff';
    await device.syncAsync();
    const alternative = await device.verifyLiveAsync('ticket-1', camera, { headTurn: 'alternative' });
    expect(alternative.reason).toBe('no-alternative');
  });

  it('admits nobody whose attempt began while staff watched', async () => {
    const device = await readyDevice(harness);
    harness.service.attendance = 'unattended';
    const { frames, ...camera } = recorded(visit(1, 'left'));
    const meanwhile: Camera = {
      ...camera,
      async *frames(signal) {
        await device.syncAsync();
        yield* frames(signal);
      },
    };
    expect(await answer(device, 'ticket-1', meanwhile)).toBe('ChallengeFailed/cancelled');
  });

  it('is erased at the start of a device that has lost its passive model, offline too', async () => {
    harness.service.attendance = 'unattended';
    await (await readyDevice(harness)).dispose();
    harness.time.restart();
    const device = await harness.create(withoutPassive);
    expect(await remains(harness)).toEqual(NOTHING);
    expect(device.status().notReady).toEqual(unsupported);
  });
});

describe('the logo of a list', () => {
  it('comes with changes of the list, and stays through a restart and whatever sync does not tell of it', async () => {
    const logo = Buffer.from('89504e470d0a1a0a00', 'hex').toString('base64');
    harness.service.names = { ...names, logo };
    const device = await readyDevice(harness);
    harness.service.names = names;
    expect(await device.syncAsync()).toMatchObject({ outcome: 'unchanged' });
    expect(device.status().names).toEqual({ ...names, logo });
    await device.dispose();
    harness.time.restart();
    const restarted = await harness.create();
    expect(restarted.status().names).toEqual({ ...names, logo });
    harness.service.enrol('new', templateOf(4));
    expect(await restarted.syncAsync()).toMatchObject({ outcome: 'updated' });
    expect(restarted.status().names).toEqual({ ...names, logo });
    harness.service.names = { ...names, logo: null };
    harness.service.enrol('newer', templateOf(5));
    expect(await restarted.syncAsync()).toMatchObject({ outcome: 'updated' });
    expect(restarted.status().names).toEqual(names);
  });
});

describe('the secret that signs check-ins', () => {
  it('is kept with the list keys, and replaced and dropped by syncs that change nothing else', async () => {
    harness.service.checkIn = { url, secret: secretOf(1) };
    const device = await readyDevice(harness);
    expect(await signatures()).toEqual([signatureOf(1)]);
    harness.service.checkIn = { url, secret: secretOf(2) };
    expect(await device.syncAsync()).toMatchObject({ outcome: 'unchanged' });
    expect(await signatures()).toEqual([signatureOf(2)]);
    harness.service.checkIn = null;
    expect(await device.syncAsync()).toMatchObject({ outcome: 'unchanged' });
    expect(await signatures()).toEqual([null]);
  });

  it.each([
    // One sealed secret does not do for the other.
    [
      'with the label of a list key',
      (listId: string, deviceId: string) => listKeySealInfo({ listId, deviceId, epoch: 1 }),
    ],
    ['for another device', (listId: string) => checkInSecretSealInfo({ listId, deviceId: other('dev') })],
    ['for another list', (_: string, deviceId: string) => checkInSecretSealInfo({ listId: other('lst'), deviceId })],
  ])('sealed %s is refused, and nothing of the answer is stored', async (_how, infoOf) => {
    const device = await readyDevice(harness);
    const before = await contentsOf(harness.ports);
    harness.service.enrol('new', templateOf(4));
    harness.service.bend = async (draft) => {
      const { listId, deviceId } = draft.manifest;
      const key = fromBase64Url(harness.service.requests.at(-1)?.headers[DEVICE_KEY_HEADER] ?? '') ?? new Uint8Array();
      const sealedSecret = await sealedFor(key, secretOf(1), infoOf(listId, deviceId));
      draft.manifest = { ...draft.manifest, checkIn: { url, sealedSecret } };
    };
    expect(await device.syncAsync()).toEqual({ ok: false, reason: 'check-in-secret-unopenable' });
    expect(await contentsOf(harness.ports)).toEqual(before);
  });

  it('is the old or the new one after a power cut, and the new one after the next sync', async () => {
    await atEveryWrite(async (cut, where) => {
      harness = createHarness();
      harness.service.checkIn = { url, secret: secretOf(1) };
      await (await readyDevice(harness)).dispose();
      harness.time.restart();
      harness.service.checkIn = { url, secret: secretOf(2) };
      await (await harness.create({ ports: cut(harness.ports) }).catch(() => null))?.syncAsync();
      harness.time.restart();
      expect([signatureOf(1), signatureOf(2)]).toContain((await signatures())[0]);
      const device = await harness.create();
      expect(await device.syncAsync()).toMatchObject({ ok: true });
      expect(await signatures(), where).toEqual([signatureOf(2)]);
      await device.dispose();
    });
  });
});
