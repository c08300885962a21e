import { createNobleAead } from '@svc/core/aead-noble';
import { describe, expect, it } from 'vitest';
import { webRandom } from '../platform/platform.ts';
import { createMemoryKeyStore, createMemoryPackStore } from '../storage/memory-stores.ts';
import { atEveryWrite, failing, type StorePair, withKnownAdmissionKey } from '../testing/watched-stores.ts';
import { AdmissionLog, PAGES } from './admission-log.ts';
import { decodePage, EMPTY_PAGE, encodePage, type QueuedCheckIn, type ReEntryRule } from './page.ts';

const exactly = (bytes: number) => bytes;
const checkIn: QueuedCheckIn = {
  ...{ id: 'chk_1', sequence: 7, type: 'person.checked-in', personId: 'Zoë "\u0001" 🎟', again: true },
  ...{ atMs: 1, checkedInAtMs: 2, deleteAfterMs: 3 },
};

describe('a page', () => {
  it('is read as it was written, padded or not', () => {
    const admissions = [0, 1, 127, 128, 255].map((value) => {
      return { tag: String.fromCharCode(value).repeat(16), atMs: value, deleteAfterMs: 2e12 };
    });
    const seen = admissions.map((one) => ({ ...one, kind: 'toStaff' as const }));
    const arrivals = { seen, buckets: [{ startsAtMs: 0, admitted: 2, toStaff: 5, notEnrolled: 0 }] };
    const [tag, times] = ['A'.repeat(22), { atMs: 1, deleteAfterMs: 3 }];
    const unsent = [{ tag, sequence: 9, kind: 'admitted', ...times } as const];
    const learnt = [{ tag, door: 'Süd', ...times }];
    const queued = { ...EMPTY_PAGE, admissions, queued: [checkIn, { ...checkIn, sequence: 8 }] };
    for (const page of [EMPTY_PAGE, queued, { ...queued, arrivals }, { ...queued, arrivals, unsent, learnt }]) {
      expect(decodePage(encodePage(page, exactly))).toEqual(page);
      expect(decodePage(encodePage(page, () => 10_000))).toEqual(page);
    }
  });

  it('of another format is none', () => {
    const bytes = encodePage(EMPTY_PAGE, exactly);
    bytes[0] = 3;
    expect(() => decodePage(bytes)).toThrow();
  });
});

const rule = (over: Partial<ReEntryRule> = {}): ReEntryRule => ({
  ...{ policy: 'refuse', windowMs: null, tells: false, countsFromMs: null },
  ...over,
});
const warn = rule({ policy: 'warn' });
const ZOE = { personId: 'ticket-1', deleteAfterMs: 2e12 };
/** On another page than ZOE by the key below. */
const OTHER = { personId: 'ticket-2', deleteAfterMs: 2e12 };

const stores = (): StorePair =>
  withKnownAdmissionKey({ keyStore: createMemoryKeyStore(), packStore: createMemoryPackStore() });
const open = (over: StorePair) => new AdmissionLog({ ...over, aead: createNobleAead(), random: webRandom });
const admitted = (alreadyAdmittedAtMs: number | null) => ({ kind: 'admitted', recorded: true, alreadyAdmittedAtMs });
const refused = (alreadyAdmittedAtMs: number) => ({ kind: 'refused', alreadyAdmittedAtMs });
const storageFailed = { code: 'storage-failed' };

describe('the log', () => {
  it('refuses who comes again, after a restart too, and others not', async () => {
    const own = stores();
    const log = open(own);
    expect(await log.admit(ZOE, rule(), 100)).toEqual(admitted(null));
    for (const each of [log, open(own)]) expect(await each.admit(ZOE, rule(), 200)).toEqual(refused(100));
    expect(await log.admit(OTHER, rule(), 300)).toEqual(admitted(null));
    // Trusted time was corrected backwards.
    expect(await log.admit(ZOE, rule(), 50)).toEqual(refused(50));
  });

  it('says when, where the list only warns, and keeps nothing where it does not ask', async () => {
    const own = stores();
    const log = open(own);
    expect(await log.admit(ZOE, rule({ policy: 'off' }), 1)).toEqual({ ...admitted(null), recorded: false });
    expect([await own.packStore.listPages(), await own.keyStore.hasAdmissionKey()]).toEqual([[], false]);
    expect(await log.admit(ZOE, warn, 100)).toEqual(admitted(null));
    expect(await log.admit(ZOE, warn, 200)).toEqual(admitted(100));
    expect(await open(own).admit(ZOE, warn, 300)).toEqual(admitted(200));
  });

  it('takes an admission back, once', async () => {
    const own = stores();
    const log = open(own);
    expect(await log.takeBack(ZOE.personId, rule(), 1)).toBe(false);
    expect(await own.keyStore.hasAdmissionKey()).toBe(false);
    await log.admit(ZOE, rule(), 1);
    const taken = [OTHER, ZOE, ZOE].map(
      ({ personId }) =>
        () =>
          log.takeBack(personId, rule(), 2),
    );
    for (const [i, take] of taken.entries()) expect(await take(), `${i}`).toBe(i === 1);
    expect(await own.packStore.listPages()).toEqual([]);
    expect(await log.admit(ZOE, rule(), 3)).toEqual(admitted(null));
  });

  it('that was altered lets nobody of its page in under `refuse`, and starts again without', async () => {
    const own = stores();
    await open(own).admit(ZOE, rule(), 1);
    const [page = 0] = await own.packStore.listPages();
    const bytes = (await own.packStore.readPage(page)) ?? new Uint8Array();
    await own.packStore.writePage(
      page,
      bytes.map((byte, i) => (i === 100 ? byte ^ 1 : byte)),
    );
    await expect(open(own).admit(ZOE, rule(), 2)).rejects.toMatchObject(storageFailed);
    expect(await open(own).admit(OTHER, rule(), 2)).toEqual(admitted(null));
    expect(await open(own).admit(ZOE, warn, 2)).toEqual(admitted(null));
    expect(await open(own).admit(ZOE, warn, 3)).toEqual(admitted(2));
    // A page does not open as another one.
    const second = (await own.packStore.listPages()).find((each) => each !== page) ?? 0;
    await own.packStore.writePage(second, (await own.packStore.readPage(page)) ?? new Uint8Array());
    await expect(open(own).admit(OTHER, rule(), 4)).rejects.toMatchObject(storageFailed);
  });

  it('deletes people at their deadline and others not, also where a page cannot be rewritten', async () => {
    for (const broken of [[], ['writePage']]) {
      const own = stores();
      let fails = false;
      const log = open(failing(own, () => (fails ? broken : [])));
      await log.admit({ ...ZOE, deleteAfterMs: 1_000 }, rule({ tells: true }), 1);
      await log.admit(OTHER, rule(), 1);
      fails = true;
      await log.deleteDue(rule(), 999);
      expect(await own.packStore.listPages()).toHaveLength(2);
      await log.deleteDue(rule(), 1_000);
      expect([await own.packStore.listPages(), log.queue]).toEqual([[expect.any(Number)], []]);
      expect(await log.admit(OTHER, rule(), 2)).toEqual(refused(1));
      // The window of an ongoing list.
      await log.deleteDue(rule({ windowMs: 10 }), 1_000);
      expect(await own.packStore.listPages()).toEqual([]);
    }
  });

  it('is deleted where its key is gone, because an interrupted deletion took that first', async () => {
    const own = stores();
    await open(own).admit(ZOE, rule(), 1);
    await own.keyStore.deleteAdmissionKey();
    await open(own).deleteDue(rule(), 2);
    expect(await own.packStore.listPages()).toEqual([]);
  });

  it('has pages of a power of two of bytes, in which numbers of people hardly show', async () => {
    const { keyStore, packStore } = stores();
    const log = open({ keyStore, packStore });
    for (let person = 1; person <= 300; person += 1) {
      await log.admit({ ...ZOE, personId: `ticket-${person}` }, warn, person);
    }
    const pages = await packStore.listPages();
    expect(pages.length).toBeLessThanOrEqual(PAGES);
    const sizes = await Promise.all(pages.map(async (each) => (await packStore.readPage(each))?.length));
    expect(new Set(sizes)).toEqual(new Set([4_096]));
  });

  it('seals anew with every write, under another key, with nobody’s id in the clear', async () => {
    const { keyStore, packStore } = stores();
    const log = open({ keyStore, packStore });
    const personId = 'A'.repeat(200);
    const seen = new Set<string>();
    for (let visit = 0; visit < 5; visit += 1) {
      await log.admit({ ...ZOE, personId }, rule({ policy: 'warn', tells: true }), 1);
      const [page = 0] = await packStore.listPages();
      const content = Buffer.from((await packStore.readPage(page)) ?? []);
      expect(content.includes('AAAA')).toBe(false);
      seen.add(content.toString('hex'));
    }
    expect(seen.size).toBe(5);
    for (const ref of log.queue) await log.settle(ref);
    expect(log.queue).toEqual([]);
  });

  it('that is full is storage-failed, and keeps what it has', async () => {
    const log = open(stores());
    // The longest personId in JSON, 1,200 bytes: a page has about 190 of its check-ins.
    const visitor = { personId: '\u0001'.repeat(200), deleteAfterMs: 2e12 };
    let visits = 0;
    const untilFull = async () => {
      for (; visits < 1_000; visits += 1) await log.admit(visitor, rule({ policy: 'warn', tells: true }), visits);
    };
    await expect(untilFull()).rejects.toMatchObject(storageFailed);
    await log.deleteDue(rule(), 1);
    expect(log.queue.length).toBe(visits);
    expect(visits).toBeGreaterThan(150);
    expect(await log.takeBack(visitor.personId, warn, visits)).toBe(true);
  });

  it('that loses power has let the person in or not, and lets in nobody twice who was told so', async () => {
    const seen = new Set<string>();
    await atEveryWrite(async (cut) => {
      const own = stores();
      const first = await open(cut(own))
        .admit(ZOE, rule(), 1)
        .then(({ kind }) => kind)
        .catch(() => 'off');
      const { kind } = await open(own).admit(ZOE, rule(), 2);
      seen.add(`${first} ${kind}`);
    });
    expect([...seen].sort()).toEqual(['admitted refused', 'off admitted', 'off refused']);
  });
});
