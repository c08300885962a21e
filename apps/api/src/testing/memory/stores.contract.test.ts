import type { EventState, PersonOrder } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Transaction } from '../../db/connection.ts';
import type { ListRecord } from '../../features/lists/store.ts';
import type { PersonRecord } from '../../features/people/store.ts';
import { createMigratedDatabase } from '../postgres.ts';
import {
  addAccount,
  addDevice,
  addList,
  addPerson,
  at,
  type Backend,
  EPOCH,
  listOf,
  newId,
  openMemoryBackend,
  openPostgresBackend,
  tagOf,
} from './contract-fixture.ts';

const backends: [string, () => Promise<Backend>][] = [
  ['PostgreSQL', async () => openPostgresBackend(await createMigratedDatabase(inject('postgres')))],
  ['memory', async () => openMemoryBackend()],
];

const DUE = { ongoing: at(60), dated: at(0) };

describe.each(backends)('stores in %s', (_name, open) => {
  let backend: Backend;
  let { database, stores } = {} as Backend;
  beforeAll(async () => {
    backend = await open();
    ({ database, stores } = backend);
  });
  afterAll(() => backend.close());

  const head = (list: { readonly accountId: string; readonly listId: string }) =>
    stores.sync.inSnapshot((tx) => stores.sync.head(tx, list));
  const served = async (list: { readonly accountId: string; readonly listId: string }) =>
    stores.sync.inSnapshot(async (tx) =>
      (await stores.sync.servedRecords(tx, list, 1, { after: null, through: null }, 100)).toString('hex'),
    );
  const recordsOf = (...tags: number[]) => Buffer.concat(tags.map((tag) => Buffer.alloc(20, tag))).toString('hex');

  describe('a transaction', () => {
    it('that throws leaves nothing', async () => {
      const list = await addList(backend);
      const broken = database.transaction(async (tx) => {
        await stores.lists.nextVersion(tx, list);
        await stores.lists.setEnded(tx, list, at(1));
        throw new Error('no');
      });
      await expect(broken).rejects.toThrow('no');
      expect(await stores.lists.find(list)).toMatchObject({ listVersion: 1, endedAt: null });
    });

    it('sees its own changes, others only those that are committed', async () => {
      const list = await addList(backend);
      await database.transaction(async (tx) => {
        expect(await stores.lists.nextVersion(tx, list)).toBe(2);
        expect(await stores.lists.lock(tx, list)).toMatchObject({ listVersion: 2 });
        expect(await stores.lists.find(list)).toMatchObject({ listVersion: 1 });
      });
      expect(await stores.lists.find(list)).toMatchObject({ listVersion: 2 });
    });

    it('that holds a list keeps the next one waiting', async () => {
      const list = await addList(backend);
      const versions = await Promise.all(
        [1, 2, 3, 4].map(() =>
          database.transaction(async (tx) => {
            const held = await stores.lists.lock(tx, list);
            await new Promise((resolve) => setImmediate(resolve));
            const version = await stores.lists.nextVersion(tx, list);
            return { held: held?.listVersion, version };
          }),
        ),
      );
      expect(versions.sort((a, b) => a.version - b.version)).toEqual(
        [2, 3, 4, 5].map((version) => ({ held: version - 1, version })),
      );
    });

    it('that only reads goes on seeing the moment at which it began', async () => {
      const list = await addList(backend);
      await stores.sync.inSnapshot(async (tx) => {
        expect((await stores.sync.head(tx, list))?.version).toBe(1);
        await database.transaction((other) => stores.lists.nextVersion(other, list));
        expect((await stores.sync.head(tx, list))?.version).toBe(1);
      });
      expect((await head(list))?.version).toBe(2);
    });
  });

  describe('accounts', () => {
    it('are found by their keys until these are revoked', async () => {
      const accountId = await addAccount(backend);
      const rights = { scopes: ['lists:read' as const], expiresAt: at(9) };
      const key = { accountId, keyId: newId('key'), sha256: Buffer.concat([tagOf(7), tagOf(8)]), ...rights };
      const insert = (each: typeof key, limit: number) =>
        database.transaction((tx) =>
          stores.accounts.insertKey(tx, { ...each, name: 'server', createdAt: at(0) }, limit),
        );
      expect(await insert(key, 1)).toBe(true);
      expect(await insert({ ...key, keyId: newId('key') }, 1)).toBe(false);
      const asked = [key.sha256, Buffer.alloc(32)];
      expect(await stores.accounts.findByKeys(asked)).toEqual([
        { account: expect.objectContaining({ accountId }), key: { ...key, lastUsedAt: null } },
      ]);
      await stores.accounts.noteKeyUse(accountId, key.keyId, at(2));
      await stores.accounts.noteKeyUse(accountId, key.keyId, at(1));
      const revoke = (keyId: string, when: Date) =>
        database.transaction((tx) => stores.accounts.revokeKey(tx, accountId, keyId, when));
      expect(await revoke('key_none', at(1))).toBeNull();
      expect(await revoke(key.keyId, at(1))).toBe('revoked');
      expect(await revoke(key.keyId, at(2))).toBe('unchanged');
      expect(await stores.accounts.findByKeys(asked)).toEqual([]);
      expect(await insert({ ...key, keyId: newId('key'), sha256: Buffer.alloc(32, 9) }, 1)).toBe(true);
      const [second, first] = await stores.accounts.keys(accountId, undefined, 3);
      const view = { keyId: key.keyId, name: 'server', ...rights, createdAt: at(0) };
      expect(first).toEqual({ ...view, lastUsedAt: at(2), revokedAt: at(1) });
      expect(await stores.accounts.keys(accountId, second?.keyId, 3)).toEqual([first]);
      expect(await stores.accounts.keys(accountId, undefined, 1)).toEqual([second]);
    });

    it('are suspended and resumed, unlike missing ones', async () => {
      const accountId = await addAccount(backend);
      const suspend = (id: string) => database.transaction((tx) => stores.accounts.suspend(tx, id, at(3)));
      const resume = (id: string) => database.transaction((tx) => stores.accounts.resume(tx, id));
      expect(await suspend('acc_none')).toBeNull();
      expect(await resume('acc_none')).toBeNull();
      expect(await resume(accountId)).toBe('unchanged');
      expect(await suspend(accountId)).toBe('changed');
      expect(await suspend(accountId)).toBe('unchanged');
      expect(await stores.accounts.find(accountId)).toMatchObject({ suspendedAt: at(3), plan: 'pilot' });
      expect(await resume(accountId)).toBe('changed');
      expect(await stores.accounts.find(accountId)).toMatchObject({ suspendedAt: null });
      expect(await stores.accounts.find('acc_none')).toBeNull();
    });

    it('are deleted: suspended at once, then removed with all their data', async () => {
      const list = await addList(backend);
      const { accountId } = list;
      const begin = (id: string) => database.transaction((tx) => stores.accounts.beginDeletion(tx, id, at(4)));
      const finish = () => database.transaction((tx) => stores.accounts.finishDeletion(tx, accountId));
      expect(await begin('acc_none')).toBeNull();
      await finish();
      expect(await stores.accounts.find(accountId)).not.toBeNull();
      expect(await begin(accountId)).toBe('begun');
      expect(await begin(accountId)).toBe('begun-before');
      expect(await stores.accounts.inDeletion()).toContain(accountId);
      expect(await stores.accounts.find(accountId)).toMatchObject({ suspendedAt: at(4) });
      const change = database.transaction((tx) => stores.accounts.resume(tx, accountId));
      expect(await change).toBeNull();
      expect(await database.transaction((tx) => stores.accounts.lockLists(tx, accountId))).toEqual([list.listId]);
      await database.transaction(async (tx) => {
        await stores.lists.beginDeletion(tx, list, at(4), { reason: 'list-deleted', until: at(99) });
        await stores.lists.finishDeletion(tx, list);
      });
      await finish();
      expect(await stores.accounts.find(accountId)).toBeNull();
      expect((await stores.accounts.all()).map((each) => each.accountId)).not.toContain(accountId);
    });

    it('have a bill that counts a person once in a period', async () => {
      const accountId = await addAccount(backend);
      const person = Buffer.alloc(32, 5);
      const bill = (id: string) => database.transaction((tx) => stores.usage.add(tx, id, person, at(1)));
      expect(await bill('acc_none')).toBeNull();
      expect(await bill(accountId)).toMatchObject({ before: { people: 0, plan: 'pilot' }, isNew: true });
      expect(await bill(accountId)).toMatchObject({ before: { people: 1 }, isNew: false });
      expect(await stores.usage.read(accountId)).toEqual({
        ...{ isSuspended: false, plan: 'pilot', planPeople: null, period: 1, periodStartedAt: at(0), people: 1 },
      });
      expect(await stores.usage.isBilled(accountId, 1, person)).toBe(true);
      expect(await stores.usage.isBilled(accountId, 1, Buffer.alloc(32, 6))).toBe(false);
      await database.transaction(async (tx) => {
        expect(await stores.usage.lock(tx, accountId)).toMatchObject({ people: 1 });
        await stores.usage.setPlan(tx, accountId, 'contract', 9);
        await stores.usage.startPeriod(tx, accountId, 2, at(5));
      });
      expect(await stores.usage.isBilled(accountId, 1, person)).toBe(false);
      expect(await stores.usage.read(accountId)).toMatchObject({
        ...{ plan: 'contract', planPeople: 9, period: 2, periodStartedAt: at(5), people: 0 },
      });
      expect(await stores.usage.read('acc_none')).toBeNull();
    });
  });

  describe('events', () => {
    const addEvent = async (accountId: string) => {
      const event = {
        ...{
          accountId,
          eventId: newId('evt'),
          name: 'Fair',
          startsAt: at(0),
          endsAt: at(10),
          timeZone: null,
          country: null,
        },
        ...{ widget: null, createdAt: at(0) },
      };
      await database.transaction((tx) => stores.events.insert(tx, event));
      return event;
    };

    it('are kept, changed and removed', async () => {
      const accountId = await addAccount(backend);
      const [first, second] = [await addEvent(accountId), await addEvent(accountId)];
      expect(await stores.events.find(accountId, first.eventId)).toEqual(first);
      expect(await stores.events.find('acc_none', first.eventId)).toBeNull();
      const widget = { organiserName: 'Ada', privacyNoticeUrl: 'https://ada.test/privacy' };
      await database.transaction(async (tx) => {
        expect(await stores.events.hold(tx, accountId, first.eventId, 'alone')).toEqual(first);
        await stores.events.update(tx, { ...first, name: 'Show', timeZone: 'Europe/Berlin', widget });
      });
      expect(await stores.events.find(accountId, first.eventId)).toEqual({
        ...{ ...first, name: 'Show', timeZone: 'Europe/Berlin', widget },
      });
      const page = async (before?: string) =>
        (await stores.events.page(accountId, before, 10)).map((event) => event.eventId);
      expect(await page()).toEqual([second.eventId, first.eventId]);
      expect(await page(second.eventId)).toEqual([first.eventId]);
      await database.transaction((tx) => stores.events.remove(tx, second));
      expect(await page()).toEqual([first.eventId]);
    });

    it('are listed by their state', async () => {
      const accountId = await addAccount(backend);
      const { eventId } = await addEvent(accountId);
      const states = async (minute: number) => {
        const is = async (state: EventState) =>
          (await stores.events.page(accountId, undefined, 10, { state, at: at(minute) })).length;
        return [await is('upcoming'), await is('running'), await is('over')];
      };
      expect([await states(-1), await states(0), await states(9), await states(10)]).toEqual([
        [1, 0, 0],
        [0, 1, 0],
        [0, 1, 0],
        [0, 0, 1],
      ]);
      expect(await stores.events.page(accountId, eventId, 10, { state: 'over', at: at(10) })).toEqual([]);
    });

    it('move their list’s deadline, and shorten what would outlive it', async () => {
      const accountId = await addAccount(backend);
      const { eventId } = await addEvent(accountId);
      const list = await addList(backend, { accountId, eventId, retainDays: 2, retentionDeadline: at(50) });
      const other = listOf(accountId, { eventId, retentionDeadline: at(60) });
      expect(await database.transaction((tx) => stores.lists.insert(tx, other))).toBe(false);
      await addPerson(backend, list, 'long', { tag: 1, deleteAfter: at(50) });
      await addPerson(backend, list, 'short', { tag: 2, deleteAfter: at(5) });
      const device = await addDevice(backend, list);
      const { listId } = list;
      await database.transaction(async (tx) => {
        expect(await stores.ends.lockList(tx, { accountId, eventId: 'evt_none' })).toBeNull();
        const found = await stores.ends.lockList(tx, { accountId, eventId });
        expect(found).toEqual({ accountId, listId, retainDays: 2, retentionDeadline: at(50), deletingAt: null });
        await stores.ends.moveDeadline(tx, list, at(20));
      });
      expect(await stores.lists.find(list)).toMatchObject({ retentionDeadline: at(20), listVersion: 2 });
      const people = await stores.people.page(list, { deadlineAfter: at(0) }, { by: 'oldest' }, 10);
      expect(people.map(({ personId, deleteAfter }) => [personId, deleteAfter])).toEqual([
        ['long', at(20)],
        ['short', at(5)],
      ]);
      const [standing] = await stores.sync.findDevices([device.tokenSha256], DUE);
      expect(standing).toMatchObject({ expiresAt: at(20), list: { retentionDeadline: at(20), ongoing: false } });
    });
  });

  describe('lists', () => {
    it('are found, locked and listed until their deletion begins', async () => {
      const accountId = await addAccount(backend);
      const [first, second] = [await addList(backend, { accountId }), await addList(backend, { accountId })];
      const page = async (before?: string) => (await stores.lists.page(accountId, before, 10)).map((l) => l.listId);
      expect(await stores.lists.find(first)).toEqual(first);
      expect(await stores.lists.find({ accountId: 'acc_none', listId: first.listId })).toBeNull();
      expect(await page()).toEqual([second.listId, first.listId]);
      expect(await page(second.listId)).toEqual([first.listId]);
      const gone = { reason: 'list-deleted', until: at(99) } as const;
      const begin = () => database.transaction((tx) => stores.lists.beginDeletion(tx, second, at(1), gone));
      expect(await begin()).toBe('begun');
      expect(await begin()).toBe('begun-before');
      expect(await stores.lists.find(second)).toBeNull();
      expect(await database.transaction((tx) => stores.lists.lock(tx, second))).toBeNull();
      expect(await database.transaction((tx) => stores.lists.lockAtNextVersion(tx, second))).toBeNull();
      expect(await head(second)).toBeNull();
      expect(await page()).toEqual([first.listId]);
      expect((await stores.lists.inDeletion()).map((list) => list.listId)).toContain(second.listId);
    });

    it('take versions and states', async () => {
      const list = await addList(backend);
      await database.transaction(async (tx) => {
        expect((await stores.lists.lockAtNextVersion(tx, list))?.listVersion).toBe(2);
        await stores.lists.setEnrollmentClosed(tx, list, at(1));
        await stores.lists.setEnded(tx, list, at(2));
        const settings = { name: 'Friends', headTurnAlternative: 'light', reEntry: 'warn' } as const;
        await stores.lists.setSettings(tx, list, { ...settings, checkInUrl: 'https://check-in.test/' });
      });
      const { accountId, listId } = list;
      expect(await stores.lists.find(list)).toMatchObject({ enrollmentClosedAt: at(1), endedAt: at(2) });
      expect(await head(list)).toEqual({
        ...{
          listId,
          version: 2,
          ongoing: true,
          enrollmentClosed: true,
          headTurnAlternative: 'light',
          retentionDeadline: null,
          name: 'Friends',
          eventName: null,
          reEntry: 'warn',
          checkIn: null,
        },
      });
      await database.transaction((tx) => stores.lists.setCheckInSecret(tx, list, Buffer.from('sealed'), at(3)));
      expect(await stores.lists.find(list)).toMatchObject({ name: 'Friends', reEntry: 'warn', checkInSecretAt: at(3) });
      const checkIn = { url: 'https://check-in.test/', secretSealed: Buffer.from('sealed') };
      expect(await head(list)).toMatchObject({ checkIn });
      const none = database.transaction((tx) => stores.lists.nextVersion(tx, { accountId, listId: 'lst_none' }));
      await expect(none).rejects.toThrow('no row');
    });

    it('have epochs, the newest first', async () => {
      const [before, list] = [await addList(backend), await addList(backend)];
      const second = { ...EPOCH, epoch: 2, engineId: 'engine/2' };
      await database.transaction(async (tx) => {
        await stores.lists.insertEpoch(tx, list, second, at(1));
        expect((await stores.lists.epochs(list, tx)).map(({ epoch }) => epoch)).toEqual([2, 1]);
        expect((await stores.lists.epochs(list)).map(({ epoch }) => epoch)).toEqual([1]);
      });
      expect(await stores.lists.epochs(list)).toEqual([second, EPOCH]);
      expect(await stores.sync.inSnapshot((tx) => stores.sync.epochs(tx, list))).toEqual([second, EPOCH]);
      const { accountId, listId } = list;
      expect(await stores.restore.listEpochs(before.listId, 1)).toEqual([
        { accountId, listId, epoch: 1 },
        { accountId, listId, epoch: 2 },
      ]);
    });

    it('are due at their deadline, the oldest first', async () => {
      const accountId = await addAccount(backend);
      const event = (eventId: string) =>
        database.transaction((tx) =>
          stores.events.insert(tx, {
            ...{ accountId, eventId, name: 'Fair', startsAt: at(0), endsAt: at(1), timeZone: null, country: null },
            ...{ widget: null, createdAt: at(0) },
          }),
        );
      const lists = [];
      for (const minute of [-500, -600]) {
        const eventId = newId('evt');
        await event(eventId);
        lists.push((await addList(backend, { accountId, eventId, retentionDeadline: at(minute) })).listId);
      }
      const due = async (minute: number) => (await stores.lists.pastDeadline(at(minute), 10)).map((l) => l.listId);
      expect(await due(-500)).toEqual([...lists].reverse());
      expect(await due(-501)).toEqual(lists.slice(1));
      expect(await due(-601)).toEqual([]);
    });

    it('drop epochs that are empty and get no new records, and reserve their numbers', async () => {
      const list = await addList(backend);
      const { accountId, listId } = list;
      const change = <T>(work: (tx: Transaction) => Promise<T>) => database.transaction(work);
      const open = (epoch: number, engineId: string) =>
        change((tx) => stores.lists.insertEpoch(tx, list, { ...EPOCH, epoch, engineId }, at(1)));
      const isNamed = async () => (await stores.lists.withEmptyEpochs()).some((each) => each.listId === listId);
      const drop = () => change((tx) => stores.lists.dropEmptyEpochs(tx, { accountId, listId }));
      const numbers = async () => (await stores.lists.epochs(list)).map(({ epoch }) => epoch);
      expect([await isNamed(), await drop(), await stores.lists.nextEpoch(list)]).toEqual([false, 0, 2]);
      await open(2, 'engine/2');
      await open(3, 'engine/3');
      await addPerson(backend, list, 'ada', { tag: 1, epoch: 2 });
      expect([await isNamed(), await drop(), await numbers()]).toEqual([true, 1, [2, 1]]);
      expect([await isNamed(), await stores.lists.nextEpoch(list)]).toEqual([false, 4]);
      await change((tx) => stores.lists.setEngine(tx, list, 'engine/2'));
      expect(await change((tx) => stores.lists.lockAtNextVersion(tx, list))).toMatchObject({
        ...{ engineId: 'engine/2', currentEpoch: 2 },
      });
      await change(async (tx) => {
        expect(await stores.lists.nextEpoch(list, tx)).toBe(4);
        await stores.people.removeFace(tx, list, { epoch: 1, tag: tagOf(9) }, 3, at(1));
      });
      expect([await drop(), await numbers(), await stores.lists.nextEpoch(list)]).toEqual([1, [2], 4]);
      expect(await change((tx) => stores.sync.changedFaces(tx, list, 0, 9))).toHaveLength(1);
      await change((tx) => stores.lists.setEngine(tx, list, 'engine/9'));
      expect(await change((tx) => stores.lists.lockAtNextVersion(tx, list))).toMatchObject({ currentEpoch: null });
    });

    it('say which engines are asked for: those of lists that take people', async () => {
      const accountId = await addAccount(backend);
      const eventId = newId('evt');
      await database.transaction((tx) =>
        stores.events.insert(tx, {
          ...{ accountId, eventId, name: 'Fair', startsAt: at(0), endsAt: at(1), timeZone: null, country: null },
          ...{ widget: null, createdAt: at(0) },
        }),
      );
      const ofEngine = (engineId: string, over: Partial<ListRecord> = {}) => addList(backend, { engineId, ...over });
      await ofEngine('asked/open');
      await ofEngine('asked/closed', { enrollmentClosedAt: at(1) });
      await ofEngine('asked/ended', { endedAt: at(1) });
      await ofEngine('asked/gone', { deletingAt: at(1) });
      await ofEngine('asked/dated', { accountId, eventId, retentionDeadline: at(5) });
      const inUse = async (minute: number) =>
        (await stores.lists.enginesInUse(at(minute))).filter((engineId) => engineId.startsWith('asked/'));
      expect([await inUse(4), await inUse(5)]).toEqual([['asked/dated', 'asked/open'], ['asked/open']]);
    });

    it('are listed by event, and without one', async () => {
      const accountId = await addAccount(backend);
      const eventId = newId('evt');
      await database.transaction((tx) =>
        stores.events.insert(tx, {
          ...{ accountId, eventId, name: 'Fair', startsAt: at(0), endsAt: at(10), timeZone: null, country: null },
          ...{ widget: null, createdAt: at(0) },
        }),
      );
      const [ongoing, dated] = [
        await addList(backend, { accountId }),
        await addList(backend, { accountId, eventId, retentionDeadline: at(50) }),
      ];
      const page = async (only: { eventId?: string; ongoing?: boolean }) =>
        (await stores.lists.page(accountId, undefined, 10, only)).map(({ listId }) => listId);
      expect([await page({ eventId }), await page({ ongoing: true }), await page({ ongoing: false })]).toEqual([
        [dated.listId],
        [ongoing.listId],
        [dated.listId, ongoing.listId],
      ]);
      expect([await page({ eventId: 'evt_none' }), await page({ eventId, ongoing: true })]).toEqual([[], []]);
      const byEvent = await stores.counts.ofEvents(accountId, [eventId, 'evt_none'], at(0));
      expect([...byEvent]).toEqual([[eventId, { listId: dated.listId, eventId, people: 0, devices: 0 }]]);
      expect(await stores.counts.ofEvents('acc_none', [eventId], at(0))).toEqual(new Map());
    });

    it('count their people and devices, through whatever changes them', async () => {
      const list = await addList(backend, { retentionDeadline: null });
      const { accountId, listId } = list;
      const counts = async (minute = 0) => {
        const found = (await stores.counts.ofLists(accountId, [listId], at(minute))).get(listId);
        return [found?.people, found?.devices];
      };
      expect(await counts()).toEqual([0, 0]);
      await addPerson(backend, list, 'ada', { tag: 1 });
      await addPerson(backend, list, 'bob', { tag: 2, version: 3 });
      const again = await addPerson(backend, list, 'ada', { tag: 3, version: 4 });
      await addPerson(backend, list, 'due', { tag: 4, version: 5, deleteAfter: at(5) });
      const device = await addDevice(backend, list);
      expect(await counts()).toEqual([3, 1]);
      await database.transaction((tx) => stores.lists.nextVersion(tx, list));
      await database.transaction((tx) => stores.lists.lockAtNextVersion(tx, list));
      await database.transaction((tx) => stores.sync.withholdDue(tx, list, at(5), at(0)));
      expect(await counts()).toEqual([3, 1]);
      await database.transaction(async (tx) => {
        await stores.expiry.noteRemovals(tx, list, await stores.expiry.takeExpired(tx, list, at(5), 10), at(5));
      });
      expect(await counts()).toEqual([2, 1]);
      await database.transaction(async (tx) => {
        await stores.people.remove(tx, list, 'bob');
        await stores.people.remove(tx, list, 'nobody');
        expect((await stores.counts.ofLists(accountId, [listId], at(0), tx)).get(listId)?.people).toBe(1);
      });
      await database.transaction(async (tx) => {
        await stores.restore.removePerson(tx, list, again.face);
        await stores.restore.removePerson(tx, list, again.face);
        await stores.devices.revoke(tx, device, at(1));
      });
      expect(await counts()).toEqual([0, 0]);
    });

    it('count nobody past their deadline, and nothing in deletion', async () => {
      const accountId = await addAccount(backend);
      const eventId = newId('evt');
      const event = { accountId, eventId, name: 'Fair', startsAt: at(0), endsAt: at(10), timeZone: null };
      await database.transaction((tx) =>
        stores.events.insert(tx, { ...event, country: null, widget: null, createdAt: at(0) }),
      );
      const list = await addList(backend, { accountId, eventId, retentionDeadline: at(50) });
      await addPerson(backend, list, 'ada', { tag: 1, deleteAfter: at(50) });
      await database.transaction((tx) => stores.ends.moveDeadline(tx, list, at(40)));
      const people = async (minute: number) =>
        (await stores.counts.ofEvents(accountId, [eventId], at(minute))).get(eventId)?.people;
      expect([await people(39), await people(40)]).toEqual([1, 0]);
      await database.transaction((tx) =>
        stores.lists.beginDeletion(tx, list, at(1), { reason: 'list-deleted', until: at(99) }),
      );
      expect(await people(0)).toBeUndefined();
      expect(await stores.counts.ofLists(accountId, [list.listId], at(0))).toEqual(new Map());
    });

    it('leave tombstones of their devices, and nothing else', async () => {
      const list = await addList(backend);
      await addPerson(backend, list, 'ada', { tag: 1 });
      const device = await addDevice(backend, list);
      const early = database.transaction((tx) => stores.lists.finishDeletion(tx, list));
      await early;
      expect(await stores.lists.find(list)).not.toBeNull();
      await database.transaction(async (tx) => {
        await stores.lists.beginDeletion(tx, list, at(1), { reason: 'retention-deadline', until: at(90) });
      });
      expect(await stores.sync.findDevices([device.tokenSha256], DUE)).toEqual([null]);
      const { accountId, listId } = list;
      expect(await stores.sync.findTombstone(device.tokenSha256)).toEqual({
        ...{ accountId, listId, deviceId: device.deviceId, reason: 'retention-deadline', expiresAt: at(90) },
      });
      await database.transaction((tx) => stores.lists.finishDeletion(tx, list));
      expect((await stores.lists.inDeletion()).map((each) => each.listId)).not.toContain(listId);
      expect(await stores.people.find(list, 'ada', at(0))).toBeNull();
      expect(await stores.sync.findTombstone(device.tokenSha256)).not.toBeNull();
      expect(await stores.sync.findTombstone(Buffer.alloc(32))).toBeNull();
    });
  });

  describe('people', () => {
    it('are kept with their faces, replaced and removed', async () => {
      const list = await addList(backend);
      const ada = await addPerson(backend, list, 'ada', { tag: 1 });
      const bob = await addPerson(backend, list, 'bob', { tag: 2, deleteAfter: at(5) });
      expect(await stores.people.find(list, 'ada', at(0))).toEqual({ ...ada, engineId: 'engine/1' });
      expect(await stores.people.find(list, 'bob', at(5))).toBeNull();
      const names = async (minute: number) =>
        (await stores.people.page(list, { deadlineAfter: at(minute) }, { by: 'oldest' }, 10)).map(
          ({ personId }) => personId,
        );
      expect(await names(0)).toEqual(['ada', 'bob']);
      expect(await names(5)).toEqual(['ada']);
      expect(await served(list)).toBe(recordsOf(1, 2));
      await database.transaction(async (tx) => {
        expect(await stores.people.findAny(tx, list, 'bob')).toEqual(bob);
        expect(await stores.people.find(list, 'ada', at(0), tx)).toEqual({ ...ada, engineId: 'engine/1' });
        expect(await stores.people.faceVersion(tx, list, ada.face)).toBe(2);
        await stores.people.removeFace(tx, list, ada.face, 3, at(1));
        expect(await stores.people.faceVersion(tx, list, ada.face)).toBeNull();
        const again = { ...ada, consentVersion: 'uk-v2' };
        await stores.people.put(tx, list, again, { record: Buffer.alloc(20, 9), version: 4 }, at(1));
        await stores.people.remove(tx, list, 'bob');
        await stores.people.removeFace(tx, list, bob.face, 5, at(1));
        // A repeated removal is recorded at the later version.
        await stores.people.removeFace(tx, list, bob.face, 6, at(2));
      });
      expect(await stores.people.find(list, 'ada', at(0))).toMatchObject({ consentVersion: 'uk-v2', rowId: ada.rowId });
      expect(await served(list)).toBe(recordsOf(9));
      expect(await names(0)).toEqual(['ada']);
    });

    it('are paged in each order, filtered and counted', async () => {
      const list = await addList(backend);
      await addPerson(backend, await addList(backend, { accountId: list.accountId }), 'T-1', { tag: 1 });
      // In this order by first enrolment. A surrogate pair comes after U+FFFD by code points, before it by UTF-16.
      const added = [
        await addPerson(backend, list, 'T-2', { tag: 2, deleteAfter: at(30) }),
        await addPerson(backend, list, 'T-\u{1F600}', { tag: 3, deleteAfter: at(10), epoch: 1 }),
        await addPerson(backend, list, 'T-\uFFFD', { tag: 4, deleteAfter: at(20) }),
        await addPerson(backend, list, 't-1', { tag: 5, deleteAfter: at(10) }),
        await addPerson(backend, list, 'T', { tag: 6, deleteAfter: at(40) }),
        await addPerson(backend, list, 'U%_', { tag: 7, deleteAfter: at(50) }),
      ];
      const walk = async (by: PersonOrder, filter: object = {}) => {
        const names: string[] = [];
        let after: PersonRecord | undefined;
        do {
          const order = { by, after } as Parameters<typeof stores.people.page>[2];
          const page = await stores.people.page(list, { deadlineAfter: at(0), ...filter }, order, 2);
          names.push(...page.map(({ personId }) => personId));
          after = page[1];
        } while (after !== undefined);
        return names;
      };
      const enrolled = added.map(({ personId }) => personId);
      expect(await walk('oldest')).toEqual(enrolled);
      expect(await walk('newest')).toEqual([...enrolled].reverse());
      expect(await walk('deadline')).toEqual(['T-\u{1F600}', 't-1', 'T-\uFFFD', 'T-2', 'T', 'U%_']);
      const byName = ['T', 'T-2', 'T-\uFFFD', 'T-\u{1F600}', 'U%_', 't-1'];
      expect(await walk('personId')).toEqual(byName);
      expect(await walk('personId', { prefix: 'T' })).toEqual(byName.slice(0, 4));
      expect(await walk('personId', { prefix: 'T-' })).toEqual(byName.slice(1, 4));
      expect(await walk('newest', { prefix: 'T-\uFFFD' })).toEqual(['T-\uFFFD']);
      expect(await walk('personId', { prefix: 'U%' })).toEqual(['U%_']);
      expect(await walk('personId', { prefix: '\u{10FFFF}' })).toEqual([]);
      expect(await walk('deadline', { deadlineBefore: at(20) })).toEqual(['T-\u{1F600}', 't-1']);
      expect(await walk('deadline', { deadlineAfter: at(20) })).toEqual(['T-2', 'T', 'U%_']);
      expect(await walk('deadline', { epochs: [2] })).toEqual([]);

      const count = (filter: object, epochs: readonly number[], minute: number) =>
        stores.people.count(list, { deadlineAfter: at(0), ...filter }, { epochs, dueAt: at(minute) });
      expect(await count({}, [1], 20)).toEqual({ people: 6, due: 3, ofOtherEpochs: 0, nextDeadline: at(10) });
      expect(await count({}, [2], 20)).toMatchObject({ people: 6, due: 3, ofOtherEpochs: 3 });
      expect(await count({ prefix: 'T-' }, [], 10)).toMatchObject({ people: 3, due: 1, ofOtherEpochs: 2 });
      expect(await count({ prefix: 'X' }, [1], 0)).toEqual({ people: 0, due: 0, ofOtherEpochs: 0, nextDeadline: null });
    });

    it('are enrolled after one look at list, bill and epoch', async () => {
      const list = await addList(backend, { listVersion: 7 });
      const find = () => stores.enrolment.find(list);
      const bill = await stores.usage.read(list.accountId);
      expect(await find()).toEqual({ list, bill, epoch: 1 });
      await database.transaction((tx) => stores.lists.setEngine(tx, list, 'engine/2'));
      expect(await find()).toEqual({ list: { ...list, engineId: 'engine/2' }, bill, epoch: null });
      await database.transaction((tx) => stores.lists.insertEpoch(tx, list, { ...EPOCH, epoch: 3 }, at(1)));
      await database.transaction((tx) => stores.lists.setEngine(tx, list, 'engine/1'));
      expect(await find()).toMatchObject({ epoch: 3 });
      await database.transaction((tx) =>
        stores.lists.beginDeletion(tx, list, at(1), { reason: 'list-deleted', until: at(99) }),
      );
      expect(await find()).toBeNull();
    });

    it('are found and counted by the epochs of their records', async () => {
      const list = await addList(backend);
      await database.transaction((tx) =>
        stores.lists.insertEpoch(tx, list, { ...EPOCH, epoch: 2, engineId: 'engine/2' }, at(1)),
      );
      await addPerson(backend, list, 'ada', { tag: 1 });
      await addPerson(backend, list, 'bob', { tag: 2, epoch: 2, version: 3 });
      await addPerson(backend, list, 'due', { tag: 3, epoch: 2, version: 4, deleteAfter: at(5) });
      await addPerson(backend, list, 'cem', { tag: 4, epoch: 2, version: 5 });
      const names = async (...epochs: number[]) =>
        (await stores.people.page(list, { deadlineAfter: at(5), epochs }, { by: 'oldest' }, 10)).map(
          ({ personId }) => personId,
        );
      expect([await names(1), await names(2), await names(1, 2), await names()]).toEqual([
        ['ada'],
        ['bob', 'cem'],
        ['ada', 'bob', 'cem'],
        [],
      ]);
      expect(await stores.people.find(list, 'bob', at(0))).toMatchObject({ engineId: 'engine/2' });
      const two = { engineId: 'engine/2', people: 2 };
      const one = { engineId: 'engine/1', people: 1 };
      expect(await stores.lists.countByEngine(list, at(4))).toEqual([{ ...two, people: 3 }, one]);
      expect(await stores.lists.countByEngine(list, at(5))).toEqual([two, one]);
      await database.transaction((tx) => stores.sync.withholdDue(tx, list, at(5), at(0)));
      expect(await stores.lists.countByEngine(list, at(0))).toEqual([two, one]);
    });

    it('go when their time is over, and each removal takes a version', async () => {
      const list = await addList(backend);
      await addPerson(backend, list, 'late', { tag: 3, deleteAfter: at(-100) });
      await addPerson(backend, list, 'later', { tag: 2, deleteAfter: at(-90), version: 3 });
      await addPerson(backend, list, 'stays', { tag: 1, deleteAfter: at(100) });
      const { accountId, listId } = list;
      const due = (minute: number) => stores.expiry.listsWithExpired(at(minute), 100);
      expect(await due(-101)).not.toContainEqual({ accountId, listId });
      expect((await due(-90)).filter((each) => each.listId === listId)).toEqual([{ accountId, listId }]);
      await database.transaction(async (tx) => {
        const [first, ...none] = await stores.expiry.takeExpired(tx, list, at(-90), 1);
        expect(first).toEqual({
          ...{ personId: 'late', deleteAfter: at(-100), epoch: 1, tag: tagOf(3), version: 2, isWithheld: false },
        });
        expect(none).toEqual([]);
        const second = await stores.expiry.takeExpired(tx, list, at(-90), 10);
        expect(second.map(({ personId }) => personId)).toEqual(['later']);
        if (first !== undefined) await stores.expiry.noteRemovals(tx, list, [first, ...second], at(0));
      });
      expect((await head(list))?.version).toBe(3);
      expect(await served(list)).toBe(recordsOf(1));
      expect(await due(-90)).not.toContainEqual({ accountId, listId });
    });
  });

  describe('devices', () => {
    it('are listed until they are revoked', async () => {
      const list = await addList(backend);
      const { accountId, listId } = list;
      const [first, second] = [await addDevice(backend, list), await addDevice(backend, list)];
      const page = async (before?: string) =>
        (await stores.devices.page(list, false, before, 10)).map(({ deviceId }) => deviceId);
      expect(await stores.devices.page(list, false, second.deviceId, 10)).toEqual([first]);
      expect(await page()).toEqual([second.deviceId, first.deviceId]);
      const revoke = (deviceId: string, when: Date) =>
        database.transaction((tx) => stores.devices.revoke(tx, { accountId, listId, deviceId }, when));
      expect(await revoke('dev_none', at(1))).toBeNull();
      expect(await revoke(first.deviceId, at(1))).toBe('revoked-unused');
      expect(await revoke(first.deviceId, at(2))).toBe('unchanged');
      expect(await page()).toEqual([second.deviceId]);
      expect(await stores.devices.page(list, true, undefined, 10)).toEqual([{ ...first, revokedAt: at(1) }]);
      expect(await stores.devices.page(list, true, first.deviceId, 10)).toEqual([]);
      const [standing] = await stores.sync.findDevices([first.tokenSha256], DUE);
      expect(standing).toMatchObject({ revokedAt: at(1), publicKey: null, suspendedAt: null });
    });

    it('are pinned to the first key that they show', async () => {
      const list = await addList(backend);
      const device = await addDevice(backend, list);
      const key = (n: number) => Buffer.alloc(65, n);
      expect(await stores.sync.pinKey(device, key(1), Buffer.alloc(32, 1))).toEqual(key(1));
      expect(await stores.sync.pinKey(device, key(2), Buffer.alloc(32, 2))).toEqual(key(1));
      expect(await stores.sync.pinKey({ ...device, deviceId: 'dev_none' }, key(1), Buffer.alloc(32, 1))).toBeNull();
      const [standing, unknown] = await stores.sync.findDevices([device.tokenSha256, Buffer.alloc(32)], DUE);
      expect(standing?.publicKey).toEqual(key(1));
      expect(unknown).toBeNull();
    });

    it('are pinned to nothing once they are revoked, and say whether they ever had a key', async () => {
      const list = await addList(backend);
      const [used, unused] = [await addDevice(backend, list), await addDevice(backend, list)];
      const key = Buffer.alloc(65, 1);
      await stores.sync.pinKey(used, key, Buffer.alloc(32, 1));
      const revoke = (device: typeof used) => database.transaction((tx) => stores.devices.revoke(tx, device, at(1)));
      expect([await revoke(used), await revoke(unused), await revoke(unused)]).toEqual([
        ...['revoked', 'revoked-unused', 'unchanged'],
      ]);
      expect(await stores.sync.pinKey(unused, key, Buffer.alloc(32, 1))).toBeNull();
    });

    it('are given numbers, and noticed when they show one that was left behind', async () => {
      const list = await addList(backend);
      const { accountId, listId } = list;
      const { deviceId } = await addDevice(backend, list);
      const other = await addDevice(backend, list);
      let minute = 0;
      const issue = async (shown: number | null) => {
        minute += 1;
        const [issued] = await stores.sync.issueCounters([{ accountId, listId, deviceId, at: at(minute), shown }]);
        const devices = await stores.devices.page(list, false, undefined, 2);
        return [issued, devices.find((device) => device.deviceId === deviceId)?.copiedAt];
      };
      // After a lost answer the same counter may be sent again, or a later one of the unanswered ones.
      for (const [shown, issued] of [
        [null, 1],
        [1, 2],
        [1, 3],
        [3, 4],
        [4, 5],
        [4, 6],
        [null, 7],
        [6, 8],
        // From a database state before a restore.
        [40, 41],
        [41, 42],
      ] as const) {
        expect(await issue(shown)).toEqual([issued, null]);
      }
      // Two copies of a device with 42: the copy is detected when the second one continues.
      expect(await issue(42)).toEqual([43, null]);
      expect(await issue(42)).toEqual([44, null]);
      expect(await issue(43)).toEqual([45, null]);
      // A delayed request.
      expect(await issue(42)).toEqual([46, null]);
      const noticed = at(minute + 1);
      expect(await issue(44)).toEqual([47, noticed]);
      expect(await issue(45)).toEqual([48, noticed]);
      const both = [other, { ...other, deviceId: 'dev_none' }].map((device) => ({ ...device, at: at(1), shown: null }));
      expect(await stores.sync.issueCounters(both)).toEqual([1, null]);
      const [standing] = await stores.sync.findDevices([other.tokenSha256], DUE);
      const [newest] = await stores.lists.epochs(list);
      expect(standing?.newestEpoch).toBe(newest?.epoch ?? 0);
    });

    it('are known by when they synced, and told of a wipe once', async () => {
      const list = await addList(backend);
      const { accountId, listId } = list;
      const { deviceId } = await addDevice(backend, list);
      const moment = (minute: number) => ({ accountId, listId, deviceId, at: at(minute) });
      const sync = (minute: number) => ({
        ...moment(minute),
        pack: { version: minute, people: 2 * minute },
        heldVersion: minute === 22 ? 11 : minute,
        software: { sdkVersion: minute === 1 ? null : '0.1.0', engineIds: minute === 1 ? [] : ['a/1', 'b/2'] },
      });
      const record = (minute: number) =>
        database.transaction((tx) => stores.sync.recordSyncs(tx, accountId, [sync(minute)], 10 * 60_000));
      const known = async () => (await stores.devices.page(list, false, undefined, 1))[0];
      expect(await record(1)).toEqual([]);
      expect(await known()).toMatchObject({ sdkVersion: null, engineIds: [], pack: { isConfirmed: true } });
      expect(await record(11)).toEqual([]);
      expect(await record(5)).toEqual([]);
      expect(await record(22)).toEqual([{ accountId, listId, deviceId, before: at(11), at: at(22) }]);
      expect(await known()).toMatchObject({
        ...{ lastSyncAt: at(22), wipeTold: null, sdkVersion: '0.1.0', engineIds: ['a/1', 'b/2'] },
        pack: { version: 22, people: 44, isConfirmed: false },
      });
      const reason = 'account-suspended' as const;
      const wipe = () =>
        database.transaction((tx) => stores.sync.recordWipes(tx, accountId, [{ ...moment(30), reason }]));
      expect(await wipe()).toEqual([{ accountId, listId, deviceId, reason }]);
      expect(await known()).toMatchObject({ wipeTold: reason });
      expect(await wipe()).toEqual([]);
      await database.transaction(async (tx) => {
        await stores.accounts.suspend(tx, accountId, at(31));
        await stores.accounts.resume(tx, accountId);
      });
      expect(await wipe()).toHaveLength(1);
      await database.transaction((tx) =>
        stores.lists.beginDeletion(tx, list, at(32), { reason: 'list-deleted', until: at(99) }),
      );
      expect(await wipe()).toHaveLength(1);
      expect(await wipe()).toEqual([]);
    });
  });

  describe('a sync', () => {
    it('hands out records by tag, in batches, and counts them', async () => {
      const list = await addList(backend);
      for (const tag of [4, 2, 9]) await addPerson(backend, list, `p${tag}`, { tag });
      await database.transaction((tx) => stores.lists.insertEpoch(tx, list, { ...EPOCH, epoch: 2 }, at(1)));
      await addPerson(backend, list, 'other', { tag: 1, epoch: 2 });
      await stores.sync.inSnapshot(async (tx) => {
        const batch = async (after: Buffer | null, limit: number, through: Buffer | null = null) =>
          (await stores.sync.servedRecords(tx, list, 1, { after, through }, limit)).toString('hex');
        expect(await batch(null, 2)).toBe(recordsOf(2, 4));
        expect(await batch(tagOf(4), 2)).toBe(recordsOf(9));
        expect(await batch(tagOf(9), 2)).toBe('');
        expect(await batch(tagOf(2), 9, tagOf(4))).toBe(recordsOf(4));
        expect(await batch(null, 9, tagOf(3))).toBe(recordsOf(2));
        expect(await stores.sync.countServed(tx, list)).toEqual(
          new Map([
            [1, 3],
            [2, 1],
          ]),
        );
      });
    });

    it('tells what changed since a version, and hands those records out', async () => {
      const list = await addList(backend);
      await addPerson(backend, list, 'first', { tag: 5, version: 2 });
      const gone = await addPerson(backend, list, 'gone', { tag: 1, version: 3 });
      await addPerson(backend, list, 'withheld', { tag: 8, version: 4, deleteAfter: at(50) });
      await addPerson(backend, list, 'last', { tag: 3, version: 5 });
      await database.transaction(async (tx) => {
        await stores.people.removeFace(tx, list, gone.face, 6, at(1));
        for (let version = 2; version <= 6; version += 1) await stores.lists.nextVersion(tx, list);
        await stores.sync.withholdDue(tx, list, at(50), at(2));
      });
      const changed = (since: number, limit = 10) =>
        stores.sync.inSnapshot(async (tx) => {
          const faces = await stores.sync.changedFaces(tx, list, since, limit);
          return faces.sort((a, b) => a.version - b.version);
        });
      const face = (tag: number, version: number, isServed: boolean) => ({
        epoch: 1,
        tag: tagOf(tag),
        version,
        isServed,
      });
      expect(await changed(2)).toEqual([face(3, 5, true), face(1, 6, false), face(8, 7, false)]);
      expect(await changed(1)).toHaveLength(4);
      expect(await changed(1, 2)).toHaveLength(2);
      expect(await changed(7)).toEqual([]);
      const records = (...tags: number[]) =>
        stores.sync.inSnapshot(async (tx) => {
          return (await stores.sync.recordsOf(tx, list, 1, tags.map(tagOf))).toString('hex');
        });
      expect(await records(5, 3, 8, 1)).toBe(recordsOf(3, 5));
      expect(await records(9)).toBe('');
    });

    it('sees what is due, and withholds it: each at a version of its own', async () => {
      const list = await addList(backend);
      const device = await addDevice(backend, list);
      await addPerson(backend, list, 'second', { tag: 1, deleteAfter: at(50) });
      await addPerson(backend, list, 'first', { tag: 2, deleteAfter: at(40) });
      await addPerson(backend, list, 'stays', { tag: 3, deleteAfter: at(90) });
      const isDue = async (minute: number) =>
        (await stores.sync.findDevices([device.tokenSha256], { ongoing: at(minute), dated: at(999) }))[0]?.isAnyDue;
      expect(await isDue(39)).toBe(false);
      expect(await isDue(40)).toBe(true);
      const withhold = (minute: number) =>
        database.transaction((tx) => stores.sync.withholdDue(tx, list, at(minute), at(0)));
      await withhold(39);
      expect((await head(list))?.version).toBe(1);
      await withhold(50);
      expect((await head(list))?.version).toBe(3);
      expect(await isDue(50)).toBe(false);
      expect(await served(list)).toBe(recordsOf(3));
      await withhold(50);
      expect((await head(list))?.version).toBe(3);
      const taken = await database.transaction((tx) => stores.expiry.takeExpired(tx, list, at(50), 10));
      expect(taken.map(({ personId, isWithheld }) => [personId, isWithheld])).toEqual([
        ['first', true],
        ['second', true],
      ]);
      await addPerson(backend, list, 'first', { tag: 2, deleteAfter: at(500), version: 4 });
      expect(await served(list)).toBe(recordsOf(2, 3));
    });
  });

  describe('retention', () => {
    it('deletes the oldest first, some at a time', async () => {
      const list = await addList(backend);
      await database.transaction(async (tx) => {
        for (const [nth, minute] of [-800, -900, -700].entries()) {
          await stores.people.removeFace(tx, list, { epoch: 1, tag: tagOf(nth) }, nth, at(minute));
        }
      });
      expect(await stores.retention.deleteRemovals(at(-800), 1)).toBe(1);
      expect(await stores.retention.deleteRemovals(at(-800), 10)).toBe(1);
      expect(await stores.retention.deleteRemovals(at(-800), 10)).toBe(0);

      const [kept, gone] = [await addDevice(backend, list), await addDevice(backend, list)];
      const { accountId, listId } = list;
      await database.transaction(async (tx) => {
        await stores.devices.revoke(tx, { accountId, listId, deviceId: gone.deviceId }, at(-900));
      });
      expect(await stores.retention.deleteRevokedDevices(at(-900), 10)).toBe(1);
      expect(await stores.sync.findDevices([gone.tokenSha256], DUE)).toEqual([null]);
      await database.transaction((tx) =>
        stores.lists.beginDeletion(tx, list, at(0), { reason: 'list-deleted', until: at(-950) }),
      );
      expect(await stores.retention.deleteTombstones(at(-951), 10)).toBe(0);
      expect(await stores.retention.deleteTombstones(at(-950), 10)).toBe(1);
      expect(await stores.sync.findTombstone(kept.tokenSha256)).toBeNull();
    });
  });

  describe('a restore', () => {
    it('notes the key store once, and how far it has come', async () => {
      expect(await stores.restore.link()).toBeNull();
      const link = { storeId: 'a', replayedThrough: 0, replayedAt: at(0) };
      expect(await stores.restore.claim(link)).toEqual(link);
      expect(await stores.restore.claim({ ...link, storeId: 'b' })).toEqual(link);
      await stores.restore.setReplayed(7, at(5));
      await stores.restore.setReplayed(3, at(2));
      expect(await stores.restore.link()).toEqual({ storeId: 'a', replayedThrough: 7, replayedAt: at(5) });
      expect(await stores.restore.holdsKeys()).toBe(false);
    });

    it('lifts lists above the versions that were seen', async () => {
      const [low, high] = [await addList(backend), await addList(backend, { listVersion: 9 })];
      const seen = [low, high].map(({ accountId, listId }) => ({ accountId, listId, version: 5 }));
      expect(await stores.restore.liftVersions(seen)).toBe(1);
      expect([(await head(low))?.version, (await head(high))?.version]).toEqual([6, 9]);
      expect(await stores.restore.liftVersions(seen)).toBe(0);
      expect(await stores.restore.liftVersions([])).toBe(0);
    });

    it('finds faces that are back in the erased version or an earlier one', async () => {
      const list = await addList(backend);
      await addPerson(backend, list, 'ada', { tag: 1, version: 3 });
      const later = await addPerson(backend, list, 'bob', { tag: 2, version: 6 });
      const erased = (tag: number, version: number, reason: 'erased' | 'expired' = 'erased') => ({
        ...{ epoch: 1, tag: tagOf(tag), version, reason },
      });
      const faces = [erased(2, 5), erased(1, 4, 'expired'), erased(1, 3), erased(7, 9)];
      expect(await stores.restore.revived(list, faces)).toEqual([{ epoch: 1, tag: tagOf(1), reason: 'erased' }]);
      await database.transaction(async (tx) => {
        expect(await stores.restore.revived(list, faces, tx)).toHaveLength(1);
        const face = { epoch: 1, tag: tagOf(1) };
        expect(await stores.restore.removePerson(tx, list, face)).toEqual({
          ...{ personId: 'ada', deleteAfter: at(1_000) },
        });
        expect(await stores.restore.removePerson(tx, list, face)).toBeNull();
      });
      expect(await stores.people.find(list, 'bob', at(0))).toEqual({ ...later, engineId: 'engine/1' });
    });

    it('revokes again what is not', async () => {
      const list = await addList(backend);
      const { accountId, listId } = list;
      const { deviceId } = await addDevice(backend, list);
      const keys = [
        { accountId, listId, deviceId },
        { accountId, listId, deviceId: 'dev_none' },
      ];
      const revoke = () => database.transaction((tx) => stores.restore.revokeDevices(tx, keys, at(3)));
      expect(await revoke()).toEqual([{ accountId, listId, deviceId }]);
      expect(await revoke()).toEqual([]);
      const key = { accountId, keyId: newId('key'), sha256: Buffer.alloc(32, 77), scopes: null, expiresAt: null };
      await database.transaction((tx) =>
        stores.accounts.insertKey(tx, { ...key, name: 'server', createdAt: at(0) }, 100),
      );
      expect(await stores.restore.revokeApiKeys([key], at(3))).toBe(1);
      expect(await stores.restore.revokeApiKeys([key], at(3))).toBe(0);
    });
  });
});
