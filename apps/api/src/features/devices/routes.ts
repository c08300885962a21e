import { addDeviceRequestSchema, type DeviceResource, pageQuerySchema } from '@svc/protocol';
import type { Router } from 'express';
import type { Guard } from '../../http/guard.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { AccountCaller } from '../accounts/service.ts';
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

export function mountDevices(
  router: Router,
  o: { readonly devices: DeviceService; readonly account: Guard<AccountCaller> },
): void {
  mount(router, '/v1/lists/:listId/devices', {
    get: o.account.call(async ({ caller, request, response }) => {
      const page = await o.devices.page(caller, pathParameter(request, 'listId'), readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    }),
    post: o.account.post(async ({ caller, request, body, once }) => {
      const device = await body(addDeviceRequestSchema, { optional: true });
      return once(
        (remember) => o.devices.add(caller, pathParameter(request, 'listId'), device, remember),
        (added: AddedDevice) => ({
          status: 201,
          body: { ...toResource(added.device), token: added.token },
          secretOf: added.device.deviceId,
        }),
      );
    }),
  });
  mount(router, '/v1/lists/:listId/devices/:deviceId', {
    delete: o.account.call(async ({ caller, request, response }) => {
      await o.devices.revoke(caller, pathParameter(request, 'listId'), pathParameter(request, 'deviceId'));
      response.status(204).end();
    }),
  });
}
