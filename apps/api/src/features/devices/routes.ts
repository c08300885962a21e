import type { DeviceResource } from '@svc/protocol';
import type { Handlers } from '../handlers.ts';
import type { AddedDevice, DeviceService } from './service.ts';
import type { DeviceRecord } from './store.ts';

const toResource = (device: DeviceRecord): DeviceResource => ({
  id: device.deviceId,
  name: device.name,
  createdAt: device.createdAt.toISOString(),
  expiresAt: device.expiresAt?.toISOString() ?? null,
  lastSyncAt: device.lastSyncAt?.toISOString() ?? null,
  copiedAt: device.copiedAt?.toISOString() ?? null,
});

export const deviceHandlers = (o: { readonly devices: DeviceService }) =>
  ({
    addDevice: ({ caller, params, body, once }) =>
      once(
        (remember) => o.devices.add(caller, params.listId, body, remember),
        (added: AddedDevice) => ({
          body: { ...toResource(added.device), token: added.token, pairingUrl: added.pairingUrl },
          secretOf: added.device.deviceId,
        }),
      ),
    async listDevices({ caller, params, query }) {
      const { items, nextCursor } = await o.devices.page(caller, params.listId, query);
      return { items: items.map(toResource), nextCursor };
    },
    getDevice: async ({ caller, params }) => toResource(await o.devices.get(caller, params.listId, params.deviceId)),
    updateDevice: async ({ caller, params, body }) =>
      toResource(await o.devices.update(caller, params.listId, params.deviceId, body)),
    revokeDevice: ({ caller, params }) => o.devices.revoke(caller, params.listId, params.deviceId),
  }) satisfies Partial<Handlers>;
