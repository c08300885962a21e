import { renderedCamera } from '@svc/benchmarks/inputs/rendered-camera';
import type { CheckInDevice, Region } from '@svc/device-sdk';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { guests } from '../demo/scenarios.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { changeSigningKey } from '../support/change-signing-key.ts';
import { type Doorway, openDoorway } from './door.ts';

const LONG_MS = 180_000;
let service: EnrolmentService;
let doorway: Doorway;
let device: CheckInDevice | undefined;

beforeAll(async () => {
  service = await startEnrolmentService();
  doorway = await openDoorway();
}, LONG_MS);
afterAll(async () => {
  await device?.dispose();
  await doorway.close();
  await service.close();
}, LONG_MS);

it(
  'a signing key that changes over under a running door has no visit refused, nor after a restart with the former one pinned',
  async () => {
    const listId = await service.createList();
    const photo = await encodeJpeg(renderHead({ seed: guests.anna, width: 960, height: 720, noiseSeed: 7 }));
    const body = enrolBody({ personId: 'ticket-of-anna', photo });
    expect((await service.customer.request('POST', `/v1/lists/${listId}/people`, body)).status).toBe(201);
    const add = async () =>
      (await service.customer.request<{ token: string }>('POST', `/v1/lists/${listId}/devices`)).body.token;
    const [token, beside] = [await add(), await add()];
    const region: Region = { baseUrl: service.api.url, signingKeys: [service.api.admin.region().signingKey] };
    const open = () => doorway.openDevice(token, region, 'gate');
    device = await open();
    const goesOn = async () => {
      if (device === undefined) throw new Error('no device');
      const camera = renderedCamera({ seed: guests.anna }, { fps: 4 });
      const [sync, { outcome, reason }] = await Promise.all([
        device.syncAsync(),
        device.verifyLiveAsync('ticket-of-anna', camera),
      ]);
      expect([sync.ok, `${outcome}/${reason}`]).toEqual([true, 'Match/verified']);
    };
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    await changeSigningKey(service.api, beside, goesOn);
    await device.dispose();
    device = await open();
    await goesOn();
    // A device that missed the change cannot continue with the former key.
    const late = await doorway.openDevice(await add(), region, 'late');
    expect(await late.syncAsync()).toEqual({ ok: false, reason: 'unknown-signing-key' });
    await late.dispose();
  },
  LONG_MS,
);
