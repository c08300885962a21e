import type { DeviceResource } from '@svc/protocol';
import { mapPage } from '../../platform/paging.ts';
import type { Clock } from '../../platform/ports.ts';
import type { Handlers } from '../handlers.ts';
import { type AddedDevice, type DeviceService, deviceStateOf, leaseEndOf } from './service.ts';
import type { DeviceRecord } from './store.ts';

function toResource(device: DeviceRecord, nowMs: number): DeviceResource {
  const state = deviceStateOf(device, nowMs);
  const holds = state !== 'wiped';
  return {
    id: device.deviceId,
    name: device.name,
    createdAt: device.createdAt.toISOString(),
    expiresAt: device.expiresAt?.toISOString() ?? null,
    lastSyncAt: device.lastSyncAt?.toISOString() ?? null,
    copiedAt: device.copiedAt?.toISOString() ?? null,
    revokedAt: device.revokedAt?.toISOString() ?? null,
    state,
    leaseEndsAt: holds ? (leaseEndOf(device)?.toISOString() ?? null) : null,
    pack: holds ? device.pack : null,
    sdkVersion: device.sdkVersion,
    engineIds: [...device.engineIds],
  };
}

export const deviceHandlers = (o: { readonly devices: DeviceService; readonly clock: Clock }) => {
  const answer = (device: DeviceRecord) => toResource(device, o.clock.now());
  return {
    addDevice: ({ caller, params, body, once }) =>
      once(
        (remember) => o.devices.add(caller, params.listId, body, remember),
        (added: AddedDevice) => ({
          body: { ...answer(added.device), token: added.token, pairingUrl: added.pairingUrl },
          secretOf: added.device.deviceId,
        }),
      ),
    listDevices: async ({ caller, params, query }) =>
      mapPage(await o.devices.page(caller, params.listId, query), answer),
    getDevice: async ({ caller, params }) => answer(await o.devices.get(caller, params.listId, params.deviceId)),
    updateDevice: async ({ caller, params, body }) =>
      answer(await o.devices.update(caller, params.listId, params.deviceId, body)),
    revokeDevice: ({ caller, params }) => o.devices.revoke(caller, params.listId, params.deviceId),
  } satisfies Partial<Handlers>;
};
