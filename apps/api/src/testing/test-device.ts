import { createECDH, type ECDH, randomBytes } from 'node:crypto';
import { parseEnvelope } from '@svc/core/pack';
import { type AddedDevice, syncManifestSchema } from '@svc/protocol';
import { expect } from 'vitest';
import type { TestApi, TestCustomer } from './test-api.ts';

/** A check-in device that was added, with a key of its own. */
export interface TestDevice {
  readonly id: string;
  readonly token: string;
  readonly pair: ECDH;
}

export function newDeviceKey(): ECDH {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return pair;
}

export async function addDevice(
  owner: Pick<TestCustomer, 'request'>,
  listId: string,
  request: object = {},
): Promise<TestDevice> {
  const { body } = await owner.request<AddedDevice>('POST', `/v1/lists/${listId}/devices`, request);
  return { id: body.id, token: body.token, pair: newDeviceKey() };
}

export const syncHeaders = ({ token, pair }: TestDevice) => ({
  Authorization: `Bearer ${token}`,
  'Svc-Device-Key': pair.getPublicKey('base64url', 'uncompressed'),
  'Svc-Nonce': randomBytes(16).toString('base64url'),
});

export const askSync = (
  api: Pick<TestApi, 'url'>,
  device: TestDevice,
  since = 0,
  headers: Readonly<Record<string, string>> = {},
) => fetch(`${api.url}/v1/device/sync?since=${since}`, { headers: { ...syncHeaders(device), ...headers } });

/** An answered sync, with its manifest read. */
export async function syncOf(...sync: Parameters<typeof askSync>) {
  const response = await askSync(...sync);
  expect(response.status).toBe(200);
  const envelope = parseEnvelope(new Uint8Array(await response.arrayBuffer()));
  return { ...envelope, manifest: syncManifestSchema.parse(JSON.parse(Buffer.from(envelope.manifest).toString())) };
}
