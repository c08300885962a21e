import type { AddedDevice } from '@svc/protocol';
import { startProgram } from '../inputs/program.ts';
import type { BenchService } from '../speed/service/start-service.ts';
import type { OneDevice, OneSync } from './one-device.ts';

/** A device in a process of its own. */
export interface DeviceProcess {
  readonly deviceId: string;
  sync(): Promise<OneSync>;
  close(): Promise<void>;
}

/** Adds a device to a list and switches it on, without a sync. */
export async function startDevice(
  service: BenchService,
  listId: string,
  bytesPerSecond?: number,
): Promise<DeviceProcess> {
  const { id: deviceId, token } = await service.call<AddedDevice>('POST', `/v1/lists/${listId}/devices`, {});
  const [epoch] = await service.query('SELECT engine_id FROM list_epochs WHERE list_id = $1', [listId]);
  const program = startProgram<OneDevice>(new URL('one-device.ts', import.meta.url));
  const region = { baseUrl: service.url, signingKeys: [service.signingKey] };
  await program.ask('open', { token, region, engineId: String(epoch?.engine_id), bytesPerSecond });
  return {
    deviceId,
    async sync() {
      const done = await program.ask('sync');
      if (!done.result.ok) throw new Error(`a sync failed: ${done.result.reason}`);
      return done;
    },
    async close() {
      await program.ask('close');
      await program.stop();
    },
  };
}
