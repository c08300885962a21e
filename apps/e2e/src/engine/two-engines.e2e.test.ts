import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, startApi } from '@svc/api';
import { requestJson } from '@svc/api/testing';
import type { CheckInDevice } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guests } from '../demo/scenarios.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { renderedCamera, type Visitor } from '../support/rendered-camera.ts';

const firstEngine = 'dlib-resnet-128-mirror/1';
const secondEngine = 'dlib-faceres-1152/2';
const timeout = 300_000;

/** Two nodes of one deployment in the middle of a change of engine, and a device of each engine on one list. */
describe('a list that moves from one engine to another', { timeout }, () => {
  let service: EnrolmentService;
  let later: Awaited<ReturnType<typeof startApi>>;
  let root: string;
  let listId: string;
  let first: CheckInDevice;
  let second: CheckInDevice;
  const cleanUp: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    service = await startEnrolmentService();
    cleanUp.push(() => service.close());
    const { databaseUrl, dataDirectory } = service.api.config;
    later = await startApi(
      readConfig({
        PORT: '0',
        LOG_LEVEL: 'silent',
        SVC_JOBS: 'off',
        DATABASE_URL: databaseUrl ?? '',
        SVC_DATA_DIR: dataDirectory,
        SVC_INFERENCE_WORKERS: '1',
        SVC_ENGINE: secondEngine,
      }),
    );
    cleanUp.push(() => later.close());
    root = await mkdtemp(join(tmpdir(), 'svc-engines-'));
    cleanUp.push(() => rm(root, { recursive: true, force: true }));
    listId = await service.createList();
    await enrol(service.api.url, 'anna');
    await enrol(service.api.url, 'ben');
    await enrol(later.url, 'ben');
    await enrol(later.url, 'chloe');
    first = await deviceOf(firstEngine, 'first');
    second = await deviceOf(secondEngine, 'second');
  }, timeout);

  afterAll(async () => {
    for (const action of cleanUp.reverse()) await action();
  }, timeout);

  async function enrol(url: string, name: 'anna' | 'ben' | 'chloe'): Promise<void> {
    const photo = await encodeJpeg(renderHead({ seed: guests[name], width: 640, height: 480, noiseSeed: 7 }));
    const { status } = await requestJson(`${url}/v1/lists/${listId}/people`, {
      method: 'POST',
      headers: { 'X-Api-Key': service.customer.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(enrolBody({ personId: name, photo })),
    });
    if (status !== 201 && status !== 200) throw new Error(`not enrolled: ${status}`);
  }

  async function deviceOf(engineId: string, folder: string): Promise<CheckInDevice> {
    const added = await service.customer.request<{ token: string }>('POST', `/v1/lists/${listId}/devices`);
    const device = await createNodeCheckInDevice({
      deviceToken: added.body.token,
      region: { baseUrl: service.api.url, signingKeys: [service.api.admin.region().signingKey] },
      directory: join(root, folder),
      engineId,
      addOnDirectory: null,
      passiveLiveness: 'absent-staff-in-view',
    });
    cleanUp.push(() => device.dispose());
    expect(await device.syncAsync()).toMatchObject({ ok: true });
    return device;
  }

  async function visit(device: CheckInDevice, scannedId: string, visitor: Visitor): Promise<string> {
    const { outcome, reason } = await device.verifyLiveAsync(scannedId, renderedCamera(visitor, { fps: 4 }));
    return `${outcome}/${reason}`;
  }

  it('holds an epoch of each, with the dimension and the threshold of its engine, and each person once', async () => {
    const epochs = await service.inDatabase(
      `SELECT e.epoch, e.engine_id, e.dimension, e.match_threshold, count(f.*)::integer AS faces
       FROM list_epochs e LEFT JOIN faces f USING (list_id, epoch) WHERE e.list_id = $1
       GROUP BY e.epoch, e.engine_id, e.dimension, e.match_threshold ORDER BY e.epoch`,
      [listId],
    );
    expect(epochs).toEqual([
      { epoch: 1, engine_id: firstEngine, dimension: 128, match_threshold: 0.946, faces: 1 },
      { epoch: 2, engine_id: secondEngine, dimension: 1152, match_threshold: 0.9, faces: 2 },
    ]);
  });

  it('is looked in by a device for its own engine’s records alone', async () => {
    for (const device of [first, second]) expect(device.status()).toMatchObject({ ready: true, engineMismatch: false });
    expect(await visit(first, 'ben', { seed: guests.ben })).toBe('NotEnrolled/engine-mismatch');
    expect(await visit(first, 'chloe', { seed: guests.chloe })).toBe('NotEnrolled/engine-mismatch');
    expect(await visit(second, 'anna', { seed: guests.anna })).toBe('NotEnrolled/engine-mismatch');
  });

  it('lets people in by the second engine, and nobody with somebody else’s ticket', async () => {
    expect(await visit(second, 'ben', { seed: guests.ben })).toBe('Match/verified');
    expect(await visit(second, 'chloe', { seed: guests.ben })).toMatch(/^NoMatch/);
  });
});
