import { createECDH, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createMemorySigningKey } from '../../testing/memory/memory-service.ts';
import { readDeviceKey } from './device-key.ts';
import { createSyncService, type DeviceCaller } from './service.ts';
import type { ListHead, SyncStore } from './store.ts';

const deviceKey = readDeviceKey(createECDH('prime256v1').generateKeys('base64url', 'uncompressed'));
const name = { accountId: 'acc_1', listId: 'lst_1' };
const list: ListHead = {
  ...{ listId: name.listId, version: 3, ongoing: true, enrollmentClosed: false, headTurnAlternative: 'none' },
  ...{ retentionDeadline: null, name: 'Members', eventName: null, reEntry: 'off', checkIn: null },
};
const caller: DeviceCaller = {
  ...{ kind: 'served', tokenSha256: randomBytes(32), ...name, deviceId: 'dev_1', name: 'Door', list, newestEpoch: 0 },
  ...{ publicKey: deviceKey.raw, expiresAt: null, suspendedAt: null, deletingAt: null },
  ...{ lastSyncAt: null, isAnyDue: false },
};

/** A service of one empty list. */
function open(during: { read(): void; readonly isReplayed: boolean }) {
  let reads = 0;
  const store = {
    inSnapshot: (read) => {
      reads += 1;
      during.read();
      return read(null as never);
    },
    head: () => Promise.resolve(list),
    epochs: () => Promise.resolve([]),
    countServed: () => Promise.resolve(new Map()),
    issueCounters: (syncs) => Promise.resolve(syncs.map(() => 1)),
  } satisfies Partial<SyncStore> as unknown as SyncStore;
  const signingKey = createMemorySigningKey();
  const none = () => Promise.reject(new Error('not used'));
  const service = createSyncService({
    store,
    database: { transaction: none },
    outbox: { publish: none, publishAboutPeople: none, forgetList: none },
    keyRing: { findListKey: none, unwrapAccountKey: none },
    erasures: { noteVersion: () => Promise.resolve() },
    signing: { current: () => Promise.resolve({ key: signingKey, announced: [signingKey.publicKey] }) },
    metrics: { syncAnswered: () => undefined },
    isReplayed: () => during.isReplayed,
    clock: { now: () => Date.now() },
    random: { bytes: (length) => randomBytes(length) },
    checkInOrigins: [],
    onError: () => undefined,
  });
  const sync = () =>
    service.sync(caller, {
      ...{ deviceKey, nonce: randomBytes(16).toString('base64url'), since: 0, counter: null },
      software: { sdkVersion: null, engineIds: [] },
    });
  return { service, sync, reads: () => reads };
}

it('neither sends nor keeps what was read while the database went back in time', async () => {
  let goesBack = true;
  const { service, sync, reads } = open({ read: () => (goesBack ? service.forget() : undefined), isReplayed: true });
  await expect(sync()).rejects.toMatchObject({ code: 'not-ready' });
  goesBack = false;
  await sync();
  await sync();
  expect(reads()).toBe(2);
});

it('sends no pack before erasures are repeated on a promoted server', async () => {
  const during = { read: () => undefined, isReplayed: false };
  const { sync, reads } = open(during);
  await expect(sync()).rejects.toMatchObject({ code: 'not-ready' });
  expect(reads()).toBe(0);
  during.isReplayed = true;
  await sync();
});
