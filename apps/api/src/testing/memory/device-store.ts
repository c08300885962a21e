import type { DeviceRecord, DeviceStore } from '../../features/devices/store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { byText, type DeviceRow, keyOf, ofList } from './rows.ts';

const toDevice = (row: DeviceRow): DeviceRecord => {
  const { publicKey: _key, revokedAt: _revoked, wipeTold: _told, counter: _counter, ...device } = row;
  return device;
};

/** {@link DeviceStore} on a database in memory. */
export function createMemoryDeviceStore(database: MemoryDatabase): DeviceStore {
  return {
    insert(tx, device) {
      const counter = { last: 0, shown: 0, before: 0, floor: 0 };
      const row = { ...device, lastSyncAt: null, publicKey: null, revokedAt: null, wipeTold: null, counter };
      transactionOf(tx)
        .table('devices')
        .set(keyOf(device.accountId, device.listId, device.deviceId), row);
      return Promise.resolve();
    },
    page(accountId, listId, before, rows) {
      const devices = ofList(database.read().devices, { accountId, listId })
        .filter((device) => device.revokedAt === null && (before === undefined || device.deviceId < before))
        .sort((a, b) => byText(b.deviceId, a.deviceId));
      return Promise.resolve(devices.slice(0, rows).map(toDevice));
    },
    revoke(tx, { accountId, listId, deviceId }, revokedAt) {
      const devices = transactionOf(tx).table('devices');
      const row = devices.get(keyOf(accountId, listId, deviceId));
      if (row === undefined) return Promise.resolve(null);
      if (row.revokedAt !== null) return Promise.resolve('unchanged');
      devices.set(keyOf(accountId, listId, deviceId), { ...row, revokedAt });
      return Promise.resolve(row.publicKey === null ? 'revoked-unused' : 'revoked');
    },
  };
}
