import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AddedDevice } from '@svc/protocol';
import type { BenchService } from '../speed/service/start-service.ts';
import type { DeviceAnswer, DeviceRequest, OneSync } from './one-device.ts';

const program = fileURLToPath(new URL('./one-device.ts', import.meta.url));
const execArgv = ['--conditions=svc-source', '--import', 'tsx', '--expose-gc'];

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
  const child = fork(program, [], { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  async function ask(request: DeviceRequest): Promise<DeviceAnswer> {
    const answered = once(child, 'message') as Promise<[DeviceAnswer]>;
    child.send(request);
    const ended = exited.then(() => Promise.reject(new Error('the device’s process ended by itself')));
    return (await Promise.race([answered, ended]))[0];
  }
  const region = { baseUrl: service.url, signingKeys: [service.signingKey] };
  await ask({ kind: 'open', token, region, engineId: String(epoch?.engine_id), bytesPerSecond });
  return {
    deviceId,
    async sync() {
      const answer = await ask({ kind: 'sync' });
      if (answer.kind !== 'synced') throw new Error('another answer than the one asked for');
      if (!answer.result.ok) throw new Error(`a sync failed: ${answer.result.reason}`);
      return answer;
    },
    async close() {
      await ask({ kind: 'close' });
      await exited;
    },
  };
}
