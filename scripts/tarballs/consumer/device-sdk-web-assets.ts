import { ok } from 'node:assert/strict';
import { join } from 'node:path';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';

export async function use(directory: string): Promise<void> {
  const { files } = await buildDeviceAssets({ directory: join(directory, 'assets'), addOnDirectory: null });
  ok(files.some(({ path }) => path === 'engine-worker.js'));
}
