import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { countKernelCalls } from '@svc/core/testing';
import { token } from '@svc/device-sdk/testing';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { type FaceEngine, minifasnetCalibration, type PassiveLiveness } from '@svc/face-engine';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createNodeCheckInDevice, type NodeDeviceOptions } from './create-device.ts';

let directory = '';
beforeEach(() => {
  directory = temporaryFolder();
});
afterEach(() => vi.restoreAllMocks());

/** Never asked for anything here: no list, no camera. */
const engine = {
  engineId: 'fake/1',
  recipes: [],
  core: { kind: 'simd' },
  prepare: async () => undefined,
} as unknown as FaceEngine;
const passiveLiveness: PassiveLiveness = {
  name: 'minifasnet',
  calibration: minifasnetCalibration,
  score: async () => ({ score: 1, evidence: 1 }),
  dispose: () => undefined,
};
/** Thirty-two zero bytes and their checksum. */
const deviceToken = 'svcd_00000000000000000000000000000000000000000002plyEo';

const other = 'svcd_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp10tv85G';

const options = (over: Partial<NodeDeviceOptions> = {}): NodeDeviceOptions => ({
  deviceToken,
  region: { baseUrl: 'http://127.0.0.1:9', signingKeys: [Buffer.alloc(32, 7).toString('base64url')] },
  directory: join(directory, 'device'),
  engine: { engine, passiveLiveness },
  transport: () => Promise.reject(new Error('offline')),
  ...over,
});

describe('a device in Node', () => {
  it('locks its folder until disposed', async () => {
    const device = await createNodeCheckInDevice(options());
    await expect(createNodeCheckInDevice(options())).rejects.toMatchObject({ code: 'storage-failed' });
    await device.dispose();
    await device.dispose();
    await (await createNodeCheckInDevice(options())).dispose();
  });

  it.each(['device', 'device/secrets', 'device/packs'])(
    'is storage-failed where %s can’t be a folder',
    async (path) => {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, '');
      const failed = { code: 'storage-failed', cause: { code: 'EEXIST' } };
      await expect(createNodeCheckInDevice(options())).rejects.toMatchObject(failed);
      await rm(file);
      await (await createNodeCheckInDevice(options())).dispose();
    },
  );

  it('refuses to run without passive liveness unless staff watch, and releases its folder', async () => {
    const without = { engine: { engine, passiveLiveness: null } };
    await expect(createNodeCheckInDevice(options(without))).rejects.toMatchObject({ code: 'passive-liveness-missing' });
    const device = await createNodeCheckInDevice(options({ ...without, passiveLiveness: 'absent-staff-in-view' }));
    expect(device.status().protections.passive).toBe('absent-staff-in-view');
    await device.dispose();
  });

  it('creates an engine with the named passive check, and never without', async () => {
    const { engine: _, ...own } = options();
    const missing = { ...own, addOnDirectory: null, passiveModel: 'minifasnet' as const };
    await expect(createNodeCheckInDevice(missing)).rejects.toMatchObject({ code: 'model-missing' });
    await (await createNodeCheckInDevice(options())).dispose();
  });

  it('opens records by the core’s AEAD', async () => {
    // Modules are loaded again, with a core whose calls are counted.
    vi.resetModules();
    const { calls, stop } = countKernelCalls();
    onTestFinished(() => stop());
    const { createNodeCheckInDevice: create } = await import('./create-device.ts');
    const {
      createFakeEngine,
      FakeService: Service,
      recorded,
      templateOf,
      visit,
    } = await import('@svc/device-sdk/testing');
    const service = new Service({ wallMs: () => Date.now() });
    service.enrol('ticket-1', templateOf(1));
    const fake = createFakeEngine();
    const shared = { deviceToken: token(1), region: service.region, transport: service.transport };
    const device = await create(options({ ...shared, engine: { engine: fake, passiveLiveness: fake.passive } }));
    expect(await device.syncAsync()).toMatchObject({ ok: true, people: 1 });
    expect(calls).toEqual({ gcmSeal: 0, gcmOpen: 1 });
    const { counts } = await device.verifyLiveAsync('ticket-1', recorded(visit(1, 'left')));
    expect(counts.embeddings).toBeGreaterThan(0);
    expect(calls).toEqual({ gcmSeal: 0, gcmOpen: 2 });
    await device.dispose();
  });

  it('hands its settings on', async () => {
    const device = await createNodeCheckInDevice(options({ lightChallenge: 'when-possible' }));
    expect(device.status().protections.light).toBe('when-possible');
    await device.dispose();
    for (const wrong of [{ maxSyncBytes: 0 }, { syncTimeoutMs: 0 }]) {
      await expect(createNodeCheckInDevice(options(wrong))).rejects.toMatchObject({ code: 'configuration-invalid' });
    }
  });

  it('starts empty with another token: its own device key, nothing of the old device', async () => {
    const first = await createNodeCheckInDevice(options());
    await first.syncAsync();
    await first.dispose();
    const keys = () => readdir(join(directory, 'device', 'keys'));
    expect(await keys()).toContain('device-key.pkcs8');
    const another = await createNodeCheckInDevice(options({ deviceToken: other }));
    expect(await keys()).not.toContain('device-key.pkcs8');
    await another.dispose();
  });
});
