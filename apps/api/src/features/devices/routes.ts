import { mapPage } from '../../platform/paging.ts';
import type { Clock } from '../../platform/ports.ts';
import { type Handlers, pick } from '../handlers.ts';
import { type AddedDevice, type DeviceService, deviceStateOf, leaseEndOf } from './service.ts';
import type { DeviceRecord } from './store.ts';

function toResource(device: DeviceRecord, nowMs: number) {
  const state = deviceStateOf(device, nowMs);
  const holds = state !== 'wiped' && device.wipeTold !== 'unattended-unsupported';
  return {
    ...pick(
      device,
      ['name', 'createdAt', 'expiresAt', 'lastSyncAt', 'copiedAt', 'revokedAt'],
      ['sdkVersion', 'engineIds', 'attendances', 'metadata'],
    ),
    ...{ id: device.deviceId, deviceId: device.deviceId },
    ...{ state, leaseEndsAt: holds ? leaseEndOf(device) : null, pack: holds ? device.pack : null },
  };
}

export const deviceHandlers = (o: { readonly devices: DeviceService; readonly clock: Clock }) => {
  const answer = (device: DeviceRecord) => toResource(device, o.clock.now());
  return {
    addDevice: ({ caller, params, body, once }) =>
      once(
        (remember) => o.devices.add(caller, params.listId, body, remember),
        (added: AddedDevice) => ({
          location: `/v1/lists/${params.listId}/devices/${added.device.deviceId}`,
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
