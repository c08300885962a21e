import { createNobleAead } from '@svc/core/aead-noble';
import { describe, expect, it } from 'vitest';
import { webRandom } from '../platform/platform.ts';
import { createMemoryKeyStore, createMemoryPackStore } from '../storage/memory-stores.ts';
import { AdmissionLog, PAGES } from './admission-log.ts';
import { decodePage, EMPTY_PAGE, encodePage, type Page, type QueuedCheckIn, type ReEntryRule } from './page.ts';

const exactly = (bytes: number) => bytes;
const admission = (value: number) => ({ tag: String.fromCharCode(value).repeat(16), atMs: value, deleteAfterMs: 2e12 });
const checkIn: QueuedCheckIn = {
  ...{ id: 'chk_1', sequence: 7, type: 'person.checked-in', personId: 'Zoë "\u0001" 🎟', again: true },
  ...{ atMs: 1, checkedInAtMs: 2, deleteAfterMs: 3 },
};

describe('a page', () => {
  it.each<[string, Page]>([
    ['empty', EMPTY_PAGE],
    ['of people', { admissions: [0, 1, 127, 128, 255].map(admission), queued: [] }],
    ['of check-ins', { admissions: [], queued: [checkIn, { ...checkIn, type: 'person.check-in-taken-back' }] }],
    ['of both', { admissions: [admission(9)], queued: [checkIn] }],
  ])('%s is read as it was written, padded or not', (_what, page) => {
    expect(decodePage(encodePage(page, exactly))).toEqual(page);
    expect(decodePage(encodePage(page, () => 10_000))).toEqual(page);
  });

  it('of another format is none', () => {
    const bytes = encodePage(EMPTY_PAGE, exactly);
    bytes[0] = 2;
    expect(() => decodePage(bytes)).toThrow();
  });
});

const rule = (over: Partial<ReEntryRule> = {}): ReEntryRule => ({
  policy: 'warn',
  windowMs: null,
  tells: false,
  ...over,
});
const entrant = (person: number) => ({ personId: `ticket-${person}`, deleteAfterMs: 2e12 });

function openLog() {
  const packStore = createMemoryPackStore();
  const keyStore = createMemoryKeyStore();
  const log = new AdmissionLog({ keyStore, packStore, aead: createNobleAead(), random: webRandom });
  return { log, packStore };
}

describe('the log', () => {
  it('has pages of a power of two of bytes, in which numbers of people hardly show', async () => {
    const { log, packStore } = openLog();
    await log.admit(entrant(1), rule(), 1);
    const [page = 0] = await packStore.listPages();
    expect((await packStore.readPage(page))?.length).toBe(4_096);
    for (let person = 2; person <= 300; person += 1) await log.admit(entrant(person), rule(), person);
    const pages = await packStore.listPages();
    expect(pages.length).toBeLessThanOrEqual(PAGES);
    const sizes = await Promise.all(pages.map(async (each) => (await packStore.readPage(each))?.length));
    expect(new Set(sizes)).toEqual(new Set([4_096]));
  });

  it('seals anew with every write, under another key', async () => {
    const { log, packStore } = openLog();
    const seen = new Set<string>();
    for (let visit = 0; visit < 5; visit += 1) {
      await log.admit(entrant(1), rule(), 1);
      const [page = 0] = await packStore.listPages();
      seen.add(Buffer.from((await packStore.readPage(page)) ?? []).toString('hex'));
    }
    expect(seen.size).toBe(5);
  });

  it('that is full is storage-failed, and keeps what it has', async () => {
    const { log } = openLog();
    // The longest personId in JSON, 1,200 bytes: a page has about 190 of its check-ins.
    const visitor = { personId: '\u0001'.repeat(200), deleteAfterMs: 2e12 };
    let visits = 0;
    const untilFull = async () => {
      for (; visits < 1_000; visits += 1) await log.admit(visitor, rule({ tells: true }), visits);
    };
    await expect(untilFull()).rejects.toMatchObject({ code: 'storage-failed' });
    await log.deleteDue(null, 1);
    expect(log.queue.length).toBe(visits);
    expect(visits).toBeGreaterThan(150);
    expect(await log.takeBack(visitor.personId, rule(), visits)).toBe(true);
  });
});
