import { createECDH, createHmac, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import { arrivalsSecretSealInfo, parseEnvelope } from '@svc/core/pack';
import {
  type AddedDevice,
  type ArrivalsReport,
  arrivalsKeyInfo,
  arrivalsSigningInput,
  syncManifestSchema,
} from '@svc/protocol';
import { expect } from 'vitest';
import { listKeySuite } from '../features/sync/sealed-keys.ts';
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

const bytes = (text = ''): ArrayBuffer => Uint8Array.from(Buffer.from(text, 'base64url')).buffer;

/** What the service sealed to the device. */
export async function openSealed(
  { pair }: TestDevice,
  { enc, ciphertext }: Partial<Readonly<Record<'enc' | 'ciphertext', string>>> = {},
  info: Uint8Array,
): Promise<Uint8Array> {
  // Node leaves out leading zeros.
  const raw = Uint8Array.from(Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex')).buffer;
  const recipientKey = await listKeySuite.kem.importKey('raw', raw, false);
  const sealed = { recipientKey, enc: bytes(enc), info: Uint8Array.from(info).buffer };
  return new Uint8Array(await listKeySuite.open(sealed, bytes(ciphertext)));
}

/** Syncs. @returns the key by which the device signs what it counts */
export async function arrivalsKeyOf(api: Pick<TestApi, 'url'>, device: TestDevice): Promise<Uint8Array> {
  const { manifest } = await syncOf(api, device);
  const { arrivals } = manifest;
  const sealed = arrivals?.policy === 'counts' ? arrivals.sealedSecret : {};
  const info = arrivalsSecretSealInfo({ listId: manifest.listId, deviceId: device.id });
  const secret = await openSealed(device, sealed, info);
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), arrivalsKeyInfo(), 32));
}

export const signedArrivals = (key: Uint8Array, report: ArrivalsReport) => ({
  ...report,
  signature: createHmac('sha256', key).update(arrivalsSigningInput(report)).digest('base64url'),
});
