import type { DeviceStanding, ListHead, SyncStore } from '../../features/sync/store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { type DeviceRow, faceKeyOf, keyOf, type ListRow, listKeyOf, type MemoryTables, ofList } from './rows.ts';

const toHead = (list: ListRow, { events }: MemoryTables): ListHead => ({
  listId: list.listId,
  version: list.listVersion,
  ongoing: list.eventId === null,
  enrollmentClosed: list.enrollmentClosedAt !== null,
  headTurnAlternative: list.headTurnAlternative,
  retentionDeadline: list.retentionDeadline,
  name: list.name,
  eventName: list.eventId === null ? null : (events.get(keyOf(list.accountId, list.eventId))?.name ?? null),
  reEntry: list.reEntry,
  checkIn:
    list.checkInUrl === null || list.checkInSecretSealed === undefined
      ? null
      : { url: list.checkInUrl, secretSealed: list.checkInSecretSealed },
});

const served = (tables: MemoryTables, list: { readonly accountId: string; readonly listId: string }) =>
  ofList(tables.faces, list).filter((face) => face.withheldVersion === null);

/** {@link SyncStore} on a database in memory. */
export function createMemorySyncStore(database: MemoryDatabase): SyncStore {
  function standingOf(device: DeviceRow, due: { readonly ongoing: Date; readonly dated: Date }): DeviceStanding | null {
    const tables = database.read();
    const list = tables.lists.get(listKeyOf(device));
    const account = tables.accounts.get(device.accountId);
    if (list === undefined || account === undefined) return null;
    const dueAt = list.retentionDeadline === null ? due.ongoing : due.dated;
    const { accountId, listId, deviceId, name, publicKey, expiresAt, revokedAt } = device;
    return {
      ...{ accountId, listId, deviceId, name, publicKey, expiresAt, revokedAt },
      suspendedAt: account.suspendedAt,
      deletingAt: list.deletingAt,
      lastSyncAt: device.lastSyncAt,
      list: toHead(list, tables),
      newestEpoch: Math.max(0, ...ofList(tables.epochs, device).map(({ epoch }) => epoch)),
      isAnyDue: served(tables, device).some((face) => face.deleteAfter <= dueAt),
    };
  }

  return {
    findDevices(tokenSha256s, due) {
      const { devices } = database.read();
      return Promise.resolve(
        tokenSha256s.map((tokenSha256) => {
          const device = [...devices.values()].find((row) => row.tokenSha256.equals(tokenSha256));
          return device === undefined ? null : standingOf(device, due);
        }),
      );
    },
    findTombstone(tokenSha256) {
      const row = [...database.read().tombstones.values()].find((each) => each.tokenSha256.equals(tokenSha256));
      if (row === undefined) return Promise.resolve(null);
      const { accountId, listId, deviceId, reason, expiresAt } = row;
      return Promise.resolve({ accountId, listId, deviceId, reason, expiresAt });
    },
    pinKey: ({ accountId, listId, deviceId }, key) =>
      database.change((tx) => {
        const devices = tx.table('devices');
        const device = devices.get(keyOf(accountId, listId, deviceId));
        if (device === undefined || device.revokedAt !== null) return null;
        if (device.publicKey !== null) return device.publicKey;
        const publicKey = Buffer.from(key);
        devices.set(keyOf(accountId, listId, deviceId), { ...device, publicKey });
        return publicKey;
      }),
    withholdDue(tx, name, dueAt, at) {
      const transaction = transactionOf(tx);
      const list = transaction.tables.lists.get(listKeyOf(name));
      if (list === undefined) return Promise.resolve();
      const due = served(transaction.tables, name)
        .filter((face) => face.deleteAfter <= dueAt)
        .sort((a, b) => a.epoch - b.epoch || Number(a.deleteAfter) - Number(b.deleteAfter) || a.tag.compare(b.tag));
      if (due.length === 0) return Promise.resolve();
      const [faces, removals] = [transaction.table('faces'), transaction.table('removals')];
      let version = list.listVersion;
      for (const face of due) {
        version += 1;
        const { accountId, listId, epoch, tag } = face;
        faces.set(faceKeyOf(face, face), { ...face, withheldVersion: version });
        removals.set(faceKeyOf(face, face), { accountId, listId, epoch, tag, version, removedAt: at });
      }
      transaction.table('lists').set(listKeyOf(name), { ...list, listVersion: version });
      return Promise.resolve();
    },
    inSnapshot: (read) => read(database.snapshot()),
    head(tx, name) {
      const { tables } = transactionOf(tx);
      const list = tables.lists.get(listKeyOf(name));
      return Promise.resolve(list === undefined || list.deletingAt !== null ? null : toHead(list, tables));
    },
    epochs(tx, name) {
      const rows = ofList(transactionOf(tx).tables.epochs, name).sort((a, b) => b.epoch - a.epoch);
      return Promise.resolve(
        rows.map(({ epoch, engineId, dimension, matchThreshold, checkRecord }) => ({
          ...{ epoch, engineId, dimension, matchThreshold },
          checkRecord: Buffer.from(checkRecord),
        })),
      );
    },
    countServed(tx, name) {
      const counts = new Map<number, number>();
      for (const { epoch } of served(transactionOf(tx).tables, name)) counts.set(epoch, (counts.get(epoch) ?? 0) + 1);
      return Promise.resolve(counts);
    },
    servedRecords(tx, name, epoch, { after, through }, limit) {
      const faces = served(transactionOf(tx).tables, name)
        .filter((face) => face.epoch === epoch && (after === null || face.tag.compare(after) > 0))
        .filter((face) => through === null || face.tag.compare(through) <= 0)
        .sort((a, b) => a.tag.compare(b.tag));
      return Promise.resolve(Buffer.concat(faces.slice(0, limit).map((face) => face.record)));
    },
    changedFaces(tx, name, since, limit) {
      const { tables } = transactionOf(tx);
      const changed = [
        ...served(tables, name).map(({ epoch, tag, version }) => ({ epoch, tag, version, isServed: true })),
        ...ofList(tables.removals, name).map(({ epoch, tag, version }) => ({ epoch, tag, version, isServed: false })),
      ];
      return Promise.resolve(changed.filter(({ version }) => version > since).slice(0, limit));
    },
    recordsOf(tx, name, epoch, tags) {
      const faces = served(transactionOf(tx).tables, name)
        .filter((face) => face.epoch === epoch && tags.some((tag) => face.tag.equals(tag)))
        .sort((a, b) => a.tag.compare(b.tag));
      return Promise.resolve(Buffer.concat(faces.map((face) => face.record)));
    },
    recordSyncs(tx, _accountId, syncs, lateMs) {
      const devices = transactionOf(tx).table('devices');
      return Promise.resolve(
        syncs.flatMap(({ accountId, listId, deviceId, at, pack, heldVersion, software }) => {
          const device = devices.get(keyOf(accountId, listId, deviceId));
          const before = device?.lastSyncAt ?? null;
          if (device === undefined || (before !== null && before >= at)) return [];
          const told = { ...software, pack: { ...pack, isConfirmed: pack.version === heldVersion } };
          devices.set(keyOf(accountId, listId, deviceId), { ...device, ...told, lastSyncAt: at, wipeTold: null });
          const isLate = before !== null && before.getTime() < at.getTime() - lateMs;
          return isLate ? [{ accountId, listId, deviceId, before, at }] : [];
        }),
      );
    },
    issueCounters: (syncs) =>
      database.change((tx) => {
        const devices = tx.table('devices');
        return syncs.map(({ accountId, listId, deviceId, at, shown }) => {
          const device = devices.get(keyOf(accountId, listId, deviceId));
          if (device === undefined) return null;
          const before = device.counter;
          const isNew = shown !== null && shown > before.floor;
          const isCopy = shown !== null && !isNew && shown !== before.shown && shown !== before.before;
          const highest = Math.max(before.last, shown ?? 0);
          const counter = isNew
            ? { last: highest + 1, shown, before: before.shown, floor: highest }
            : { ...before, last: highest + 1 };
          const copiedAt = isCopy ? (device.copiedAt ?? at) : device.copiedAt;
          devices.set(keyOf(accountId, listId, deviceId), { ...device, counter, copiedAt });
          return counter.last;
        });
      }),
    recordWipes(tx, _accountId, wipes) {
      const transaction = transactionOf(tx);
      const [devices, tombstones] = [transaction.table('devices'), transaction.table('tombstones')];
      return Promise.resolve(
        wipes.flatMap(({ accountId, listId, deviceId, reason }) => {
          const told = { accountId, listId, deviceId, reason };
          const name = keyOf(accountId, listId, deviceId);
          const device = devices.get(name);
          if (device !== undefined && device.wipeTold !== reason) {
            devices.set(name, { ...device, wipeTold: reason });
            return [told];
          }
          for (const [key, row] of tombstones) {
            if (keyOf(row.accountId, row.listId, row.deviceId) !== name || row.wipeTold === reason) continue;
            tombstones.set(key, { ...row, wipeTold: reason });
            return [told];
          }
          return [];
        }),
      );
    },
  };
}
