import type { AddedDevice } from '@svc/protocol';
import { newNonce, SyncDevice } from '../../inputs/sync-device.ts';
import type { BenchService } from './start-service.ts';

/** A device that only syncs, by a client that takes whole requests. */
export class BenchDevice extends SyncDevice {
  readonly #head = Object.entries(this.headers(''))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n');

  /** The bytes of a sync request, with a fresh nonce. */
  request(since: number): { readonly bytes: string; readonly nonce: string } {
    const nonce = newNonce();
    const line = `GET /v1/device/sync?since=${since} HTTP/1.1\r\nHost: bench\r\n`;
    return { bytes: `${line}${this.#head}${nonce}\r\n\r\n`, nonce };
  }
}

export async function addDevice(service: BenchService, listId: string): Promise<BenchDevice> {
  const { token } = await service.call<AddedDevice>('POST', `/v1/lists/${listId}/devices`, {});
  return new BenchDevice(service, token);
}
