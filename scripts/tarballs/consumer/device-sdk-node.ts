import { deepStrictEqual, equal } from 'node:assert/strict';
import { join } from 'node:path';
import { createFolderCamera, createNodeCheckInDevice, type NodeDeviceOptions } from '@svc/device-sdk-node';

/** A well-formed token that belongs to no device. */
const NO_TOKEN = 'svcd_00000000000000000000000000000000000000000002plyEo';

export async function use(directory: string): Promise<void> {
  const options: NodeDeviceOptions = {
    deviceToken: NO_TOKEN,
    region: { baseUrl: 'http://127.0.0.1:9', signingKeys: [Buffer.alloc(32, 1).toString('base64url')] },
    directory: join(directory, 'gate'),
    passiveLiveness: 'absent-staff-in-view',
    addOnDirectory: null,
  };
  const device = await createNodeCheckInDevice(options);
  equal(device.status().notReady?.reason, 'never-synced');
  deepStrictEqual(await device.syncAsync(), { ok: false, reason: 'offline' });
  const camera = createFolderCamera({ directory, fps: 10 });
  const { outcome } = await device.verifyLiveAsync('ticket-4711', camera);
  equal(outcome, 'LeaseExpired');
  await device.dispose();
}
