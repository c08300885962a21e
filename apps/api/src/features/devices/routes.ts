import { addDeviceRequestSchema, type DeviceResource, pageQuerySchema } from '@svc/protocol';
import type { Router } from 'express';
import type { AuthenticateAccount } from '../../http/authenticate.ts';
import { readJson } from '../../http/body.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { DeviceService } from './service.ts';
import type { DeviceRecord } from './store.ts';

const toResource = (device: DeviceRecord): DeviceResource => ({
  id: device.deviceId,
  name: device.name,
  createdAt: device.createdAt.toISOString(),
  expiresAt: device.expiresAt?.toISOString() ?? null,
  lastSyncAt: device.lastSyncAt?.toISOString() ?? null,
});

export function mountDevices(
  router: Router,
  o: { readonly devices: DeviceService; readonly authenticate: AuthenticateAccount },
): void {
  mount(router, '/v1/lists/:listId/devices', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      const page = await o.devices.page(caller, pathParameter(request, 'listId'), readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    },
    async post(request, response) {
      const caller = await o.authenticate(request);
      const body = await readJson(request, response, addDeviceRequestSchema, { optional: true });
      const { device, token } = await o.devices.add(caller, pathParameter(request, 'listId'), body);
      response.status(201).json({ ...toResource(device), token });
    },
  });
  mount(router, '/v1/lists/:listId/devices/:deviceId', {
    async delete(request, response) {
      const caller = await o.authenticate(request);
      await o.devices.revoke(caller, pathParameter(request, 'listId'), pathParameter(request, 'deviceId'));
      response.status(204).end();
    },
  });
}
