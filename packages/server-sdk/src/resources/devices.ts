import type { AddDeviceRequest, AddedDevice, DeviceResource } from '@svc/protocol';
import { type CallOptions, type Http, type PostOptions, pathOf } from '../http.ts';
import type { Collection, PageRequest } from '../pages.ts';

export interface DeviceMethods {
  /** The device's token is in the answer this once. */
  addDevice(listId: string, device?: AddDeviceRequest, options?: PostOptions): Promise<AddedDevice>;
  /** Newest first, without those that are revoked. */
  listDevices(listId: string, query?: PageRequest, options?: CallOptions): Collection<DeviceResource>;
  /** The device wipes its copy at its next sync. */
  revokeDevice(listId: string, deviceId: string, options?: CallOptions): Promise<void>;
}

export const deviceMethods = (http: Http): DeviceMethods => ({
  addDevice: (listId, body = {}, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/lists/${listId}/devices`, body, options }),
  listDevices: (listId, query, options) => http.collection(pathOf`/v1/lists/${listId}/devices`, query, options),
  revokeDevice: (listId, deviceId, options) =>
    http.empty({ method: 'DELETE', path: pathOf`/v1/lists/${listId}/devices/${deviceId}`, options }),
});
