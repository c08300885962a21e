import type { RestoreStore } from '../../features/restore/store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { byText, faceKeyOf, keyOf, listKeyOf, take } from './rows.ts';

const ONLY = 'only';

/** {@link RestoreStore} on a database in memory, which never contains keys, webhooks or users. */
export function createMemoryRestoreStore(database: MemoryDatabase): RestoreStore {
  return {
    link: () => Promise.resolve(database.read().links.get(ONLY) ?? null),
    claim: (link) =>
      database.change((tx) => {
        const links = tx.table('links');
        const noted = links.get(ONLY) ?? link;
        links.set(ONLY, noted);
        return noted;
      }),
    setReplayed: (through, at) =>
      database.change((tx) => {
        const links = tx.table('links');
        const link = links.get(ONLY);
        if (link === undefined) return;
        const replayedThrough = Math.max(link.replayedThrough, through);
        links.set(ONLY, {
          ...link,
          replayedThrough,
          replayedAt: new Date(Math.max(Number(link.replayedAt), Number(at))),
        });
      }),
    holdsKeys: () => Promise.resolve(false),
    dropKeys: () => Promise.resolve(),
    listEpochs(afterListId, limit) {
      const { lists, epochs } = database.read();
      const names = [...lists.values()].map((list) => list.listId).filter((listId) => listId > afterListId);
      const page = new Set(names.sort(byText).slice(0, limit));
      const rows = [...epochs.values()]
        .filter((row) => page.has(row.listId))
        .sort((a, b) => byText(a.listId, b.listId) || a.epoch - b.epoch);
      return Promise.resolve(rows.map(({ accountId, listId, epoch }) => ({ accountId, listId, epoch })));
    },
    liftVersions: (seen) =>
      database.change((tx) => {
        let lifted = 0;
        const lists = tx.table('lists');
        for (const each of seen) {
          const list = lists.get(listKeyOf(each));
          if (list === undefined || list.listVersion >= each.version) continue;
          lists.set(listKeyOf(each), { ...list, listVersion: each.version + 1 });
          lifted += 1;
        }
        return lifted;
      }),
    revived(list, faces, tx) {
      const stored = database.read(tx).faces;
      const sorted = [...faces].sort((a, b) => a.version - b.version);
      const revived = new Map(
        sorted.reverse().flatMap(({ epoch, tag, version, reason }) => {
          const name = faceKeyOf(list, { epoch, tag });
          const face = stored.get(name);
          return face === undefined || face.version > version ? [] : [[name, { epoch, tag, reason }] as const];
        }),
      );
      const named = [...revived].sort(([a], [b]) => byText(a, b));
      return Promise.resolve(named.map(([, face]) => face));
    },
    removePerson(tx, { accountId, listId }, { epoch, tag }) {
      const [person] = take(
        transactionOf(tx).table('people'),
        (row) =>
          row.accountId === accountId && row.listId === listId && row.face.epoch === epoch && row.face.tag.equals(tag),
      );
      if (person === undefined) return Promise.resolve(null);
      return Promise.resolve({ personId: person.personId, deleteAfter: person.deleteAfter });
    },
    revokeDevices(tx, keys, at) {
      const devices = transactionOf(tx).table('devices');
      const revoked = keys.filter(({ accountId, listId, deviceId }) => {
        const row = devices.get(keyOf(accountId, listId, deviceId));
        if (row === undefined || row.revokedAt !== null) return false;
        devices.set(keyOf(accountId, listId, deviceId), { ...row, revokedAt: at });
        return true;
      });
      return Promise.resolve(revoked.map(({ accountId, listId, deviceId }) => ({ accountId, listId, deviceId })));
    },
    revokeApiKeys: (keys, at) =>
      database.change((tx) => {
        let revoked = 0;
        const apiKeys = tx.table('apiKeys');
        for (const { accountId, keyId } of keys) {
          const row = apiKeys.get(keyOf(accountId, keyId));
          if (row === undefined || row.revokedAt !== null) continue;
          apiKeys.set(keyOf(accountId, keyId), { ...row, revokedAt: at });
          revoked += 1;
        }
        return revoked;
      }),
    deleteWebhooks: () => Promise.resolve(0),
    removeUsers: () => Promise.resolve(0),
    removePasskeys: () => Promise.resolve(0),
    endSessions: () => Promise.resolve(0),
  };
}
